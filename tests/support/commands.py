"""The command `partition-bridge` as a user runs it: credentials in the environment."""

import os
import subprocess
import sys
from collections.abc import Mapping

from tests.support.servers import S3Server


def partition_bridge(server: S3Server, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The ended command."""
    environment = {
        **os.environ,
        "AWS_ACCESS_KEY_ID": server.access_key,
        "AWS_SECRET_ACCESS_KEY": server.secret_key,
        "AWS_ENDPOINT_URL": server.endpoint,
        "AWS_REGION": server.region,
    }
    return run(*arguments, environment=environment)


def run(*arguments: str, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The ended command, which needs no store unless `environment` names one."""
    command = [sys.executable, "-m", "partition_bridge.cli", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
