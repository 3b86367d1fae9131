"""One writer at work: puts the stages together and runs their threads until SHUTDOWN, or until the first failure.

Nothing here or below publishes an object on the way out: no close, signal or exit does (I2).
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from partition_bridge import entries
from partition_bridge.bootstrap import Bootstrap
from partition_bridge.budget import budget_for
from partition_bridge.commit import Committer
from partition_bridge.control import Control
from partition_bridge.counters import resident_bytes
from partition_bridge.desk import Desk
from partition_bridge.encode.compression import COMPRESSIONS
from partition_bridge.encode_loop import EncodeLoop
from partition_bridge.faultpoint import Reach
from partition_bridge.frames import Insert
from partition_bridge.insert import InsertCommit
from partition_bridge.lifecycle import Visible
from partition_bridge.outbox import Outbox
from partition_bridge.reader import Reader
from partition_bridge.restore import Restoration
from partition_bridge.store.protocol import Store
from partition_bridge.upload import Uploads

_METRICS_SECONDS = 2.0
_CLOSE_SECONDS = 10.0


class WriterProcess:
    """``fail`` is told of the first error of any thread, and doesn't return in a real process.

    ``clock`` gives epoch milliseconds; ``sleep`` takes seconds; ``warn`` is for people.
    """

    def __init__(
        self,
        given: Bootstrap,
        line: socket.socket,
        control: Control,
        store: Store,
        clock: Callable[[], int],
        sleep: Callable[[float], None],
        reach: Reach,
        fail: Callable[[BaseException], None],
        warn: Callable[[str], None],
    ) -> None:
        self._store = store
        self._given, self._control, self._reach, self._fail = given, control, reach, fail
        self._stopped = threading.Event()
        self._frames: Outbox[bytes] = Outbox("frames", line.sendall, self._failed)
        self._calls: Outbox[tuple[str, tuple[Any, ...]]] = Outbox("calls", self._call, self._failed)
        self._commits = ThreadPoolExecutor(given.commit_concurrency, "commit")
        self._committer = Committer(store, clock, sleep, reach)
        self._desk = Desk(given.bucket, given.part_size, budget_for(given.memory), self._frames.put, self._announce, self._commit)
        self._desk.encoder, self._desk.schema = given.encoder, given.schema or ""
        self._desk.uploads = Uploads(
            store, given.bucket, control, reach, given.upload_concurrency, self._desk.apply, self._failed
        )
        self._loop = EncodeLoop(
            self._desk,
            self._frames.put,
            given.format_options,
            COMPRESSIONS[given.compression],
            given.inline_threshold,
            given.inline_limit,
            clock,
            reach,
        )
        self._restoration = Restoration(self._committer, self._commits, warn, skip_missing=given.missing_upload == "skip")
        self._insert = InsertCommit(store, self._committer, self._commits, given.bucket, given.prefix, reach, warn)
        allocate = _arrow_memory if given.encoder == "arrow" else bytearray
        self._reader = Reader(line, self._desk, self._loop, self._restoration, self._restore, self._end_insert, allocate)

    def run(self) -> None:
        """Returns after SHUTDOWN, with the uploads aborted that no barrier has named (I6). Raises what ends the reader else."""
        self._frames.start()
        self._calls.start()
        encoding = self._thread("encode", self._loop.run)
        self._thread("metrics", self._tick)
        self._desk.offer_credit()
        self._reader.run()
        self._stopped.set()
        self._loop.stop()
        encoding.join(_CLOSE_SECONDS)
        self._desk.uploads.stop(_CLOSE_SECONDS)
        self._desk.drop_unnamed()

    def _thread(self, name: str, work: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=self._guarded, args=(work,), name=name, daemon=True)
        thread.start()
        return thread

    def _guarded(self, work: Callable[..., None], *arguments: Any) -> None:
        try:
            work(*arguments)
        except BaseException as error:  # noqa: BLE001  # whatever ends a thread ends the writer (I11)
            self._failed(error)

    def _failed(self, error: BaseException) -> None:
        # While it closes, threads meet a socket, a pool and a gateway that are being taken down.
        if not self._stopped.is_set():
            self._fail(error)

    def _announce(self, name: str, *arguments: Any) -> None:
        self._calls.put((name, arguments))

    def _call(self, call: tuple[str, tuple[Any, ...]]) -> None:
        name, arguments = call
        getattr(self._control, name)(*arguments)
        if name == "snapshot_ready":
            self._reach("after-ready", checkpoint=arguments[0])
        elif name == "committed":
            self._reach("after-committed-call", checkpoint=arguments[0])

    def _commit(self, file: int, entry: entries.Entry) -> None:
        self._commits.submit(self._guarded, self._complete, file, entry)

    def _complete(self, file: int, entry: entries.Entry) -> None:
        self._committer.complete(entry, replay=False)
        self._desk.apply(file, Visible())

    def _restore(self, insert: Insert | None) -> None:
        if insert is None:
            self._thread("restore", lambda: self._announce("restored", self._restoration.run()))
        else:
            self._thread("insert", lambda: self._announce("inserted", self._insert.run(insert, self._restoration.take())))

    def _end_insert(self) -> None:
        def end() -> None:
            self._insert.end()
            self._announce("insert_ended")

        self._thread("insert-end", end)

    def _tick(self) -> None:
        while not self._stopped.wait(_METRICS_SECONDS):
            self._control.metrics(self._numbers())

    def _numbers(self) -> dict[str, object]:
        return {
            **self._desk.metrics(),
            **self._store.counts(),
            "uploads_recovered": self._committer.recovered.count,
            "part_ms": self._desk.uploads.times.take(),
            "writer_rss": resident_bytes(),
        }


def _arrow_memory(size: int) -> Any:
    """Memory that a batch before has left, where Python would get new pages from the kernel and zero them for each batch."""
    import pyarrow as pa

    return pa.allocate_buffer(size)
