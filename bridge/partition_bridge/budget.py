"""How many more BATCH bytes the shim may send, so that the writer stays within ``sink.writer.memory`` (I8). Pure arithmetic.

received ──split by file──► arrow ──row group──► encoded ──part cut──► sending ──ETag──► free
(in the queue)              (waiting for a row group)  └──file closed, small──► inline ──committed──► free

memory ≥ received + arrow + encoded + sending + inline + granted credit, but for one batch (``floor``) when nothing moves any more
"""

from __future__ import annotations

from dataclasses import dataclass

# pyarrow holds a second, encoded copy of the row group that it writes, and a part is copied once: that isn't counted, but left free.
_COUNTED_SHARE = 3 / 4
_FLOOR_SHARE = 6


def budget_for(writer_memory: int) -> Budget:
    """The budget of a writer with ``sink.writer.memory`` bytes, of which a quarter stays free for copies in work."""
    return Budget(int(writer_memory * _COUNTED_SHARE))


@dataclass
class Budget:
    """All in bytes. ``credit`` is what the shim may still send."""

    memory: int
    credit: int = 0
    received: int = 0
    arrow: int = 0
    encoded: int = 0
    sending: int = 0
    inline: int = 0

    @property
    def floor(self) -> int:
        """An eighth of ``sink.writer.memory``: the shim's batches are never larger."""
        return self.memory // _FLOOR_SHARE

    @property
    def waiting(self) -> int:
        """What only the encode loop can set free: by flushing row groups and closing files."""
        return self.arrow + self.encoded

    @property
    def used(self) -> int:
        return self.received + self.arrow + self.encoded + self.sending + self.inline

    def took(self, size: int) -> None:
        """A batch of ``size`` bytes came in."""
        self.credit -= size
        self.received += size

    def grant(self) -> int:
        """Credit to be sent now; 0 for none. Small grants are saved up, but never while the shim could be waiting for them."""
        room = self.memory - self.used - self.credit
        if room >= self.floor or (room > 0 and self.credit < self.floor):
            self.credit += room
            return room
        # Nothing will set memory free by itself: one batch more, so that rows can come which close files.
        if not self.received and not self.sending and self.credit < self.floor:
            more = self.floor - self.credit
            self.credit += more
            return more
        return 0
