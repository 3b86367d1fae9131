"""Mutants of what checkpoints hold and restores do. Each function changes the product in this process."""

from dataclasses import replace
from typing import Any


def trailing_bytes() -> None:
    """Bytes after an entry's end, or missing before it, are overlooked."""
    from partition_bridge import entries
    from partition_bridge.errors import EntryRefused

    decode = entries.decode

    def lenient(data: bytes) -> entries.Entry:
        for end in range(len(data), 0, -1):
            try:
                return decode(data[:end])
            except EntryRefused:  # noqa: PERF203  # a mutant may be slow
                continue
        return decode(data)

    entries.decode = lenient


def open_tail_lost() -> None:
    """What an open file has in no part yet isn't in the state."""
    from partition_bridge.desk import Desk

    mark = Desk.mark
    Desk.mark = lambda self, number, checkpoint, tail: mark(self, number, checkpoint, b"")


def parts_not_awaited() -> None:
    """The state is given before the last part has its ETag, and names what there is."""
    from partition_bridge import lifecycle

    def hasty(state: lifecycle.FileState) -> lifecycle.Step:
        if state.phase is lifecycle.Phase.SEALED and state.checkpoint is not None and (state.stored or not state.cut):
            stored = tuple(part.size for part in state.stored)
            ready = replace(state, phase=lifecycle.Phase.PENDING, cut=stored)
            return ready, (lifecycle.AnnounceEntry(),)
        return state, ()

    late = lifecycle._STEPS[lifecycle.PartStored]
    phases = late[0] | {lifecycle.Phase.PENDING, lifecycle.Phase.COMPLETING}

    def stored(state: lifecycle.FileState, event: Any) -> lifecycle.Step:
        return (state, ()) if state.phase in (lifecycle.Phase.PENDING, lifecycle.Phase.COMPLETING) else late[1](state, event)

    lifecycle._settle = hasty
    lifecycle._STEPS[lifecycle.PartStored] = (phases, stored)


def restores_the_first() -> None:
    """Of the restored entries only the first is completed."""
    from partition_bridge.restore import Restoration

    run = Restoration.run

    def partial(self: Restoration) -> Any:
        del self.entries[1:]
        return run(self)

    Restoration.run = partial


def skips_missing() -> None:
    """A missing upload is skipped although nobody has asked for that."""
    from partition_bridge import restore

    begin = restore.Restoration.__init__

    def lenient(self: Any, *arguments: Any, skip_missing: bool) -> None:
        del skip_missing
        begin(self, *arguments, skip_missing=True)

    restore.Restoration.__init__ = lenient
