"""A file that stays open longer than its credentials last: `python -m tests.faults.leases [--lease 60] [--open 300] [--evidence]`.

A role's sessions, from moto's STS, end after a lease; a writer process writes one file for several of them. Half-way all sessions,
and the next one, are revoked, so that a request is refused as expired. Its checkpoint complete, the writer is killed; when the last session is over,
its successor completes the file.
"""

import argparse
import json
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from partition_bridge.audit import TablePath, audit
from tests.faults.bench import BUCKET, LARGE_ROWS, LARGE_WIDTH, random_rows
from tests.faults.report import EVIDENCE, commit
from tests.support.aws import Aws
from tests.support.leases import Leases
from tests.support.peer import Peer, WriterChild
from tests.support.writers import ORDINARY

BATCHES = 10
KEYS = {"access_key": "AKIAOFTHEUSER", "secret_key": "secret", "session_token": None}
PREFIX, KEY = "leased", "leased/part-70627269-0000-8000-8000-000000000000-0-0.parquet"


@dataclass
class Shown:
    """`refused`: requests that were refused as expired, each after the revocation and each sent again."""

    lease_seconds: float
    open_seconds: float
    sessions: int
    refused: list[tuple[str, str]]
    rows: int
    parts: int


def outlive(lease: float, open_seconds: float, folder: Path) -> Shown:
    """Raises where a row is lost, a request of a living session is refused, or none was refused after the revocation."""
    with ExitStack() as running:
        aws = running.enter_context(Aws(folder / "aws"))
        aws.create_bucket(BUCKET)
        door = running.enter_context(Leases(aws.endpoint, lease))
        peer = Peer()
        running.callback(peer.stop)
        peer.configure_keys(**KEYS)

        # Phase 1: rows come for several leases, one part with each batch.
        batches = [random_rows(number * LARGE_ROWS, LARGE_ROWS, LARGE_WIDTH) for number in range(BATCHES)]
        with WriterChild(peer, None, folder / "first.err", **_settings(door)) as writer:
            shim = writer.shim
            shim.call("hello")
            shim.schema()
            shim.open(0, KEY, "0a" * 16)
            for number, batch in enumerate(batches):
                shim.rows(0, batch)
                if number == BATCHES // 2:
                    assert not door.refused, f"sessions are renewed before their end, none is refused: {door.refused}"
                    door.revoke()
                time.sleep(open_seconds / BATCHES)
            shim.close_file(0)
            shim.barrier(1, [0])
            state = shim.pull(0, 1)
            shim.call("snapshot_ready", 1)
        assert door.refused, "what was sent with a revoked session was refused"
        refused, sessions = list(door.refused), len(door.issued)

        # Phase 2: the writer is dead, and so are its sessions.
        time.sleep(lease + 1)
        with WriterChild(peer, None, folder / "second.err", **_settings(door)) as writer:
            writer.shim.call("hello")
            writer.shim.schema()
            writer.shim.restore([state])
            writer.shim.call("restored")
            writer.shim.shutdown()
            assert writer.process.wait(60) == 0, writer.stderr()

        # Phase 3: the audit.
        assert door.refused == refused, "the successor has sessions of its own"
        expected = pa.Table.from_batches(batches)
        report = audit(aws.client(), TablePath(BUCKET, PREFIX, ()), expected, committed=())
        etag = aws.client().head_object(Bucket=BUCKET, Key=KEY)["ETag"]
        return Shown(lease, open_seconds, sessions, refused, report.rows, int(etag.strip('"').rpartition("-")[2]))


def _settings(door: Leases) -> dict[str, Any]:
    names = {"arn": "arn:aws:iam::123456789012:role/lake", "external_id": None, "session_name": "lake", "seconds": 900}
    role = {**names, "policy": None, "endpoint": door.endpoint, "region": None}
    place = {"endpoint": door.endpoint, "region": "us-east-1", "path_style": True, "aws_environment": {}}
    return {"store": {**ORDINARY, **place, **KEYS, "role": role}, "bucket": BUCKET, "prefix": PREFIX, "inline_threshold": 0}


def main() -> int:
    """Tell what was shown, and write it down on wish."""
    parser = argparse.ArgumentParser(prog="tests.faults.leases")
    parser.add_argument("--lease", type=float, default=60.0, help="seconds")
    parser.add_argument("--open", type=float, default=300.0, help="seconds")
    parser.add_argument("--evidence", action="store_true", help="write docs/evidence/leases.json")
    given = parser.parse_args()
    tested = commit()
    with tempfile.TemporaryDirectory(prefix="leases-") as folder:
        shown = outlive(given.lease, given.open, Path(folder))
    numbers = {"commit": tested, "command": "python -m tests.faults.leases --evidence", **asdict(shown)}
    print(json.dumps(numbers))
    if given.evidence:
        (EVIDENCE / "leases.json").write_text(json.dumps(numbers, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
