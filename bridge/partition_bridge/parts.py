"""Cuts the encoded bytes of one file into parts of equal size, the last one shorter. Pure.

encoder ──chunk──► views of the encoder's own buffers ──join: the only copy──► body of a part
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import pyarrow as pa

    Chunk: TypeAlias = bytes | bytearray | memoryview | pa.Buffer


#: A file is closed here, well before part 10,000, where every S3 store ends an upload.
ROLL_AT_PART = 9_000
#: Of the tail of a file that was open at a restored checkpoint: no writer of an earlier attempt can have got so far.
RESTORED_TAIL_PART = 10_000


class PartCutter:
    """``pending`` counts the bytes that aren't in a part yet: less than ``part_size`` between calls."""

    def __init__(self, part_size: int) -> None:
        self._part_size = part_size
        self._views: list[memoryview] = []
        self.pending = 0

    def feed(self, chunk: Chunk) -> Iterator[bytearray]:
        """Take ``chunk`` (kept by reference, so it must not change) and yield each part that is full. Exhaust the iterator."""
        view = memoryview(chunk)
        view = view.cast("B") if view.nbytes else view
        while len(view):
            missing = self._part_size - self.pending
            self._views.append(view[:missing])
            self.pending += len(view[:missing])
            view = view[missing:]
            if self.pending == self._part_size:
                yield self.rest()

    def peek(self) -> bytes:
        """A copy of what is pending; it stays pending."""
        return b"".join(self._views)

    def rest(self) -> bytearray:
        """What is pending, as one body; afterwards nothing is."""
        body = bytearray().join(self._views)
        self._views.clear()
        self.pending = 0
        return body
