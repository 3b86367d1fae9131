"""Which barriers have every byte of their files safe, and which commits may start. Pure; files are numbers here.

    BARRIER received ──► passed by the encode loop, in order with the rows ──► each of its files PENDING, or stored up to it ──► ready (I1)
    COMMIT n         ──► due once all barriers ≤ n that were received are ready

COMMIT overtakes rows and barriers in the queue; that is why a barrier is noted twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from partition_bridge.errors import ProtocolViolation

END_OF_INPUT = (1 << 63) - 1
"""The checkpoint whose commit publishes the rest of a job that takes no final one; checkpoints before it may still be in the making."""


@dataclass
class _Barrier:
    checkpoint: int
    files: tuple[int, ...]
    open: tuple[int, ...]
    waiting: set[int]
    passed: bool = False
    announced: bool = False

    @property
    def ready(self) -> bool:
        return self.passed and not self.waiting


@dataclass(frozen=True)
class Ready:
    """A checkpoint all whose files are safe: sealed ones, and open ones up to its barrier."""

    checkpoint: int
    files: tuple[int, ...]
    open: tuple[int, ...]


@dataclass
class Checkpoints:
    """Barriers and commits of one writer. Methods give what has become ready or due by the call, oldest first."""

    _barriers: dict[int, _Barrier] = field(default_factory=dict)
    _commits: list[int] = field(default_factory=list)
    _sealed: set[int] = field(default_factory=set)
    _named: set[int] = field(default_factory=set)

    def received(self, checkpoint: int, files: tuple[int, ...], open_files: tuple[int, ...]) -> None:
        """The reader saw the barrier: from now on its files, sealed and open ones, may be in a snapshot (I6)."""
        if any(checkpoint <= other for other in self._barriers):
            raise ProtocolViolation(f"barrier {checkpoint} comes after barrier {max(self._barriers)}")
        both = (*files, *open_files)
        again = self._sealed.intersection(both)
        if again or len(set(both)) != len(both):
            raise ProtocolViolation(f"barrier {checkpoint} names files {sorted(again) or list(both)} twice")
        self._sealed.update(files)
        self._named.update(both)
        self._barriers[checkpoint] = _Barrier(checkpoint, files, open_files, set(both))

    def is_named(self, file: int) -> bool:
        """Whether a barrier that was received names the file."""
        return file in self._named

    def is_ahead(self, checkpoint: int) -> bool:
        """Whether the barrier was received but the encode loop hasn't come to it yet."""
        return checkpoint in self._barriers and not self._barriers[checkpoint].passed

    def before(self, checkpoint: int) -> list[int]:
        """Barriers ahead of this one, whose snapshots may be asked for."""
        return [n for n in self._barriers if n < checkpoint]

    def passed(self, checkpoint: int) -> list[Ready]:
        """The encode loop has named the barrier's files. Gives newly ready checkpoints."""
        self._barriers[checkpoint].passed = True
        return self._newly_ready()

    def marked(self, file: int, checkpoint: int) -> list[Ready]:
        """The open file is stored up to that barrier. Gives newly ready checkpoints."""
        self._barriers[checkpoint].waiting.discard(file)
        return self._newly_ready()

    def settled(self, file: int) -> list[Ready]:
        """The file is PENDING. Gives newly ready checkpoints."""
        for barrier in self._barriers.values():
            barrier.waiting.discard(file)
        return self._newly_ready()

    def asked(self, checkpoint: int) -> None:
        """COMMIT came."""
        self._commits.append(checkpoint)

    def due(self) -> list[int]:
        """Commits that may start now; each is given once."""
        held = [b.checkpoint for b in self._barriers.values() if not b.ready]
        due = sorted(n for n in self._commits if not any(open_ <= n for open_ in held))
        self._commits = [n for n in self._commits if n not in due]
        return due

    def finished(self, checkpoint: int, files: Iterable[int]) -> None:
        """The commit is done: nothing asks for these files and barriers any more."""
        done = set(files)
        self._sealed -= done
        self._named -= done
        # The newest barrier stays, to refuse one that goes back.
        for n in [n for n in self._barriers if n <= checkpoint and n != max(self._barriers)]:
            del self._barriers[n]

    def _newly_ready(self) -> list[Ready]:
        ready = [b for b in self._barriers.values() if b.ready and not b.announced]
        for barrier in ready:
            barrier.announced = True
        return [Ready(b.checkpoint, b.files, b.open) for b in ready]
