"""A job of one subtask, as small as it can be and still be one: the JVM's side of the writer, played from frames.

    attempt: restore the last complete checkpoint ─► epochs from there: rows ─► barrier ─► entries ─► complete ─► COMMIT ─► committed
    a writer dies ─► the next attempt, with names of its own, from the last complete checkpoint

The source is replayable: an epoch that no complete checkpoint covers is written again.
"""

import json
import subprocess
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from partition_bridge import entries
from tests.faults.bench import BUCKET, Bench, Lake
from tests.support.peer import WriterChild
from tests.support.writers import ORDINARY

MIB = 1 << 20
EXIT_SECONDS = 60
LAST_CALL_SECONDS = 5


class InvariantBroken(AssertionError):
    """Something that must never be seen was seen; no death of a writer excuses it."""


@dataclass(frozen=True)
class Failure:
    """How a writer ended. `kind` is the protocol's, or `exit N` where it couldn't say any."""

    kind: str
    message: str
    attempt: int


@dataclass(frozen=True)
class File:
    """One file of an epoch; `open` where it goes on after the epoch's checkpoint."""

    partition: str
    rows: pa.RecordBatch
    open: bool = False


@dataclass
class Job:
    """Runs attempts. `data_format`: parquet, which the writer encodes, or json, which the JVM does. `state` is the last complete checkpoint: its entries as bytes. `epoch` is the first that isn't covered by it."""

    bench: Bench
    lake: Lake
    prefix: str
    manner: Sequence[str] = ()
    epochs: Sequence[Sequence[File]] = ()
    data_format: str = "parquet"
    checkpoint: int = 0
    epoch: int = 0
    state: list[bytes] = field(default_factory=list)
    attempts: int = 0
    failures: list[Failure] = field(default_factory=list)
    logs: list[Path] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)
    spoilt: list[bytes] = field(default_factory=list)
    covered: list[entries.Entry] = field(default_factory=list)

    def start(self, **changes: object) -> "Attempt":
        """The next attempt's writer; the store that it knows is the line to the proxy."""
        self.attempts += 1
        server = self.lake.server
        log = self.bench.folder / f"{self.prefix.replace('/', '-')}.{self.attempts}.err"
        self.logs.append(log)
        keys = {"access_key": server.access_key, "secret_key": server.secret_key, "session_token": None}
        self.bench.peer.configure_keys(**keys)
        endpoint = {"endpoint": self.lake.line.endpoint, "region": server.region, "path_style": True, "aws_environment": {}}
        store = {**ORDINARY, **endpoint, **keys}
        program = ("-m", "tests.faults.launch", *self.manner)
        settings: dict[str, Any] = {"store": store, "bucket": BUCKET, "prefix": self.prefix, "inline_threshold": 64 << 10}
        if self.data_format == "json":
            settings |= {"encoder": "host", "schema": "0123456789abcdef"}
        elif any(file.open for epoch in self.epochs for file in epoch):
            # Else its rows would wait for a row group of the usual size, and all of it would be tail.
            settings["format_options"] = {"parquet.block.size": str(MIB)}
        child = WriterChild(
            self.bench.peer, None, log, program=program, gateway_port=self.bench.gateway.port, **{**settings, **changes}
        )
        return Attempt(self, child)


@dataclass
class Attempt:
    """One writer's life."""

    job: Job
    child: WriterChild
    _uuid: str = field(default_factory=lambda: f"70627269-{uuid.uuid4().hex[:4]}-8000-8000-{uuid.uuid4().hex[:12]}")
    _files: int = 0
    _open: list[int] = field(default_factory=list)

    def __enter__(self) -> "Attempt":
        return self

    def greet(self) -> None:
        """It has said hello, and knows the schema."""
        self.child.shim.call("hello")
        if self.job.data_format == "parquet":
            self.child.shim.schema()

    def restore(self) -> None:
        """Give it the state of the last complete checkpoint, and wait until all of that is visible."""
        self.child.shim.restore(self.job.state)
        (summary,) = self.child.shim.call("restored")
        self.job.outcomes += [file["outcome"] for file in summary["files"]]
        self._check_visible(self.job.covered)

    def write(self, epoch: Sequence[File]) -> list[int]:
        """The rows of an epoch, each file closed that doesn't go on; the numbers of its files."""
        return [self._write(file) for file in epoch]

    def _write(self, file: File) -> int:
        number, self._files = self._files, self._files + 1
        shim = self.child.shim
        key = f"{self.job.prefix}/{file.partition}part-{self._uuid}-0-{number}.{self.job.data_format}"
        shim.open(number, key, uuid.uuid4().hex, created_ms=1_000, partition=file.partition)
        self._rows(number, file.rows)
        if file.open:
            self._open.append(number)
        else:
            shim.close_file(number)
        return number

    def _rows(self, number: int, rows: pa.RecordBatch) -> None:
        if self.job.data_format == "parquet":
            self.child.shim.rows(number, rows)
        else:
            lines = "".join(json.dumps(row) + "\n" for row in rows.to_pylist())
            self.child.shim.encoded(number, lines.encode(), rows.num_rows)

    def outgrow(self, rows: pa.RecordBatch) -> None:
        """The open file gets more rows, and parts with these, up to a checkpoint that never completes."""
        (number,) = self._open
        self._rows(number, rows)
        self.child.shim.barrier(self.job.checkpoint + 1, [], self._open)
        sent = self.child.shim.call("snapshot_ready", self.job.checkpoint + 1)[1]["parts"]
        assert sent > 1, "the upload has parts that no complete checkpoint names"

    def leave_unnamed(self, file: File) -> None:
        """A file that no barrier will name, whose upload exists already."""
        self.child.shim.call("upload_created", self._write(file))

    def snapshot(self, files: Sequence[int], *, carried: Sequence[bytes] = ()) -> None:
        """Barrier, entries, ready: from here on the checkpoint is complete, and is what a restart gets."""
        job, shim = self.job, self.child.shim
        number = job.checkpoint + 1
        shim.barrier(number, [file for file in files if file not in self._open], self._open)
        state = [shim.pull(file, number) for file in files]
        shim.call("snapshot_ready", number)
        job.checkpoint = number
        job.state = [*carried, *state]
        job.epoch += 1
        job.covered += [entries.decode(each) for each in state]
        self.check_invisible(job.covered[-len(state) :])

    def check_invisible(self, files: Sequence[entries.Entry]) -> None:
        """I2: a checkpoint that the job hasn't completed shows nothing."""
        early = [each.key for each in files if self.job.lake.store.head(BUCKET, each.key) is not None]
        if early:
            raise InvariantBroken(f"visible before its checkpoint is complete (I2): {early}")

    def commit(self) -> None:
        """COMMIT, and wait for its answer; by then each object is there (I4), but of files that go on."""
        job, shim = self.job, self.child.shim
        shim.commit(job.checkpoint)
        shim.call("committed", job.checkpoint)
        self._check_visible([each for each in job.covered if each.sealed])

    def _check_visible(self, files: Sequence[entries.Entry]) -> None:
        absent = [each.key for each in files if self.job.lake.store.head(BUCKET, each.key) is None]
        if absent:
            raise InvariantBroken(f"said to be committed, and not there (I4): {absent}")

    def shutdown(self) -> None:
        """The orderly end."""
        self.child.shim.shutdown()
        code = self.child.process.wait(EXIT_SECONDS)
        if code:
            raise BrokenPipeError(f"exit {code}")

    def __exit__(self, *_: object) -> None:
        self.child.__exit__(None, None, None)

    def failure(self) -> Failure:
        """Why it ended."""
        code, heard = self.child.process.returncode, self.child.heard
        with heard.changed:
            # The gateway took the writer's last call before the writer ended; it may still be on its way to here.
            heard.changed.wait_for(lambda: code != 1 or heard.calls_named("failed"), LAST_CALL_SECONDS)
        told = heard.calls_named("failed")
        kind, message = told[0] if told else (f"exit {code}", self.child.stderr()[-2000:])
        return Failure(str(kind), str(message), self.job.attempts)


def survives(attempt: Attempt, work: Callable[[], None]) -> bool:
    """Do `work`; False, with the failure noted, when the writer died of it. Any other trouble is the case's."""
    try:
        work()
    except InvariantBroken:
        raise
    except (AssertionError, OSError) as trouble:
        silent = isinstance(trouble, AssertionError) and not attempt.child.heard.gone
        try:
            attempt.child.process.wait(1 if silent else EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            raise trouble from None
        attempt.job.failures.append(attempt.failure())
        return False
    return True
