"""Things that are sent in order by a thread of their own, so that nobody who has something to say waits for the receiver."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Outbox(Generic[T]):
    """``put`` returns at once; ``deliver`` runs for one thing after the other; its error goes to ``fail`` and ends the thread."""

    def __init__(self, name: str, deliver: Callable[[T], None], fail: Callable[[BaseException], None]) -> None:
        self._queue: queue.SimpleQueue[T] = queue.SimpleQueue()
        self._deliver = deliver
        self._fail = fail
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def put(self, thing: T) -> None:
        self._queue.put(thing)

    def _run(self) -> None:
        try:
            while True:
                self._deliver(self._queue.get())
        except BaseException as error:  # noqa: BLE001  # whatever ends the thread ends the writer (I11)
            self._fail(error)
