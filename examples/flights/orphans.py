"""After a crash: what killed processes left open, removed as an operator does it, by `partition-bridge orphans`."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from partition_bridge.audit import TablePath
from tests.support.servers import S3Server


class OrphansFailed(Exception):
    """The orphan command refused; its own words are in the message."""


def remove_orphans(server: S3Server, table: TablePath, snapshots: Sequence[Path]) -> list[str]:
    """Abort the bridge's open uploads that none of `snapshots` (checkpoints, savepoints) names; a line about each."""
    command = [sys.executable, "-m", "partition_bridge.cli", "orphans", f"s3://{table.bucket}/{table.prefix}"]
    for each in snapshots:
        command += ["--checkpoints", str(each)]
    command += ["--job-stopped", "--abort", "--json", "--endpoint-url", server.endpoint, "--region", server.region]
    credentials = {"AWS_ACCESS_KEY_ID": server.access_key, "AWS_SECRET_ACCESS_KEY": server.secret_key}
    done = subprocess.run(command, env={**os.environ, **credentials}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OrphansFailed(f"partition-bridge orphans ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    aborted = [json.loads(line) for line in done.stdout.splitlines()]
    return [f"key {each['key']} upload id {each['upload_id']}" for each in aborted]
