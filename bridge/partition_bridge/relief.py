"""Memory is set free where it runs short (I8): row groups that end early, and files that the shim is asked to close."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from partition_bridge import frames
from partition_bridge.desk import Desk
from partition_bridge.files import LiveFile

if TYPE_CHECKING:
    from partition_bridge.encode.parquet import ParquetEncoder

#: Asks the shim to close the file as soon as it can: its size is beyond any rolling policy.
ROLL = (1 << 63) - 1
_SMALLEST_GROUP = 1 << 20


class Relief:
    """On the encode loop's thread. ``send`` queues a frame."""

    def __init__(self, desk: Desk, send: Callable[[bytes], None]) -> None:
        self._desk, self._send = desk, send

    def seek(self) -> None:
        """Over half of the memory waiting: flush row groups that are worth it; still over: have the largest files closed.

        A row group of a few rows frees little and costs reading for ever, a small file too, but it frees all that its file holds.
        """
        budget = self._desk.budget
        high, low = budget.memory // 2, budget.memory * 3 // 8
        if budget.waiting <= high:
            return
        open_files = self._desk.open_files()
        for live in sorted(open_files, key=_buffered, reverse=True):
            if budget.waiting <= low or live.encoder is None or live.encoder.buffered_bytes < _SMALLEST_GROUP:
                break
            self._flush(live, live.encoder)
        waiting = budget.waiting - sum(_held(live) for live in open_files if live.roll_asked)
        for live in sorted(open_files, key=_held, reverse=True):
            if waiting <= low:
                return
            if not live.roll_asked:
                waiting -= _held(live)
                self.ask_to_roll(live)

    def ask_to_roll(self, live: LiveFile) -> None:
        live.roll_asked = True
        self._send(frames.progress(live.number, ROLL))

    def progress(self, live: LiveFile, encoded: int) -> None:
        """Tell the shim how large the file is; ROLL stands until it's closed."""
        if not live.roll_asked:
            self._send(frames.progress(live.number, encoded))

    def _flush(self, live: LiveFile, encoder: ParquetEncoder) -> None:
        buffered = encoder.buffered_bytes
        encoder.flush_row_group()
        self._desk.adjust(arrow=encoder.buffered_bytes - buffered)
        self.progress(live, encoder.encoded_bytes)


def _buffered(live: LiveFile) -> int:
    return live.encoder.buffered_bytes if live.encoder is not None else 0


def _held(live: LiveFile) -> int:
    uncompressed = live.compressor.pending if live.compressor is not None else 0
    return _buffered(live) + uncompressed + live.cutter.pending
