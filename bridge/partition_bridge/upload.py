"""Creates uploads and sends parts, a bounded number at a time. Answers come back as lifecycle events.

Order that the protocol asks for: Create, then ``uploadCreated`` to the shim, then the first part: the shim knows every upload that holds bytes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from partition_bridge.control import Control
from partition_bridge.counters import PartTimes
from partition_bridge.entries import Part
from partition_bridge.faultpoint import Reach
from partition_bridge.lifecycle import Event, PartStored, UploadCreated
from partition_bridge.names import TOKEN_METADATA
from partition_bridge.store.protocol import Store

Answer = Callable[[int, Event, int], None]


class Uploads:
    """``answer(file, event, retries)`` is called on a pool thread; an error goes to ``fail``."""

    def __init__(
        self,
        store: Store,
        bucket: str,
        control: Control,
        reach: Reach,
        concurrency: int,
        answer: Answer,
        fail: Callable[[BaseException], None],
    ) -> None:
        self._store = store
        self._bucket = bucket
        self._control = control
        self._reach = reach
        self._answer = answer
        self._fail = fail
        self.times = PartTimes()
        self._pool = ThreadPoolExecutor(concurrency, "upload")
        self._started: set[Future[None]] = set()

    def create(self, file: int, key: str, token: str) -> None:
        """Open the upload of a file; returns at once."""
        self._submit(self._create, file, key, token)

    def send(self, file: int, key: str, upload_id: str, number: int, body: bytearray) -> None:
        """Upload a part; returns at once. ``body`` must not change before the answer, so that it can be sent again."""
        self._submit(self._send, file, key, upload_id, number, body)

    def abort(self, key: str, upload_id: str) -> None:
        """Abort an upload that no snapshot can name (I6); waits for the store."""
        self._store.abort(self._bucket, key, upload_id)

    def stop(self, seconds: float) -> None:
        """Forget what hasn't begun, and give what has begun up to ``seconds`` to answer."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        wait(list(self._started), timeout=seconds)

    def _submit(self, work: Callable[..., None], *arguments: object) -> None:
        def guarded() -> None:
            try:
                work(*arguments)
            except BaseException as error:  # noqa: BLE001  # whatever fails in the pool ends the writer (I11)
                self._fail(error)

        future = self._pool.submit(guarded)
        self._started.add(future)
        future.add_done_callback(self._started.discard)

    def _create(self, file: int, key: str, token: str) -> None:
        upload_id = self._store.create(self._bucket, key, {TOKEN_METADATA: token})
        self._reach("after-create", file=file, key=key, upload_id=upload_id)
        self._control.upload_created(file, key, upload_id)
        self._answer(file, UploadCreated(upload_id), 0)

    def _send(self, file: int, key: str, upload_id: str, number: int, body: bytearray) -> None:
        self._reach("before-part", file=file, key=key, upload_id=upload_id, number=number)
        begin = time.monotonic()
        stored = self._store.upload_part(self._bucket, key, upload_id, number, body)
        self.times.add(time.monotonic() - begin)
        self._reach("after-part", file=file, key=key, upload_id=upload_id, number=number)
        self._answer(file, PartStored(Part(number, len(body), stored.etag, stored.checksum)), stored.retries)
