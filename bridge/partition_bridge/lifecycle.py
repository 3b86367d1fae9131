"""The life of one file, as a pure state machine: ``advance(state, event)`` gives the next state and what is to be done.

    BUFFERING ──PartCut──► UPLOADING            rows come in; parts are cut as they fill
        │                      │
        └───────Closed─────────┴──► SEALED      no more rows; the last part is cut or the whole file is inline
                                      │         + Named(n) by barrier n, and every part stored (I1)
                                      ▼
                                   PENDING      named by checkpoint n, can be completed by anyone who reads the entry
                                      │ CommitAsked (a checkpoint ≥ n is complete, I2)
                                      ▼
                                  COMPLETING ──Visible──► COMPLETED

    BUFFERING, UPLOADING, SEALED without barrier ──Dropped──► ABANDONED   (its upload is aborted, I6)

A file that takes rows of several checkpoints is Marked by each barrier that it outlives: what it holds by then is announced once the parts
up to the mark are stored (I1), while it goes on.

UploadCreated and PartStored may come in any state from the first cut to PENDING, and late in ABANDONED: the upload pool answers when
it can. Any other event in any other state raises ``WrongState``: going on would lose or publish bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from partition_bridge.entries import Part
from partition_bridge.errors import WrongState


class Phase(Enum):
    """See the diagram above."""

    BUFFERING = "buffering"
    UPLOADING = "uploading"
    SEALED = "sealed"
    PENDING = "pending"
    COMPLETING = "completing"
    COMPLETED = "completed"
    ABANDONED = "abandoned"


@dataclass(frozen=True)
class Mark:
    """Barrier ``checkpoint`` came when so many parts were cut."""

    checkpoint: int
    parts: int


@dataclass(frozen=True)
class FileState:
    """``cut[k]`` is the size of part k+1; ``tail`` the size of a file that is inline as a whole.

    ``checkpoint`` is of the barrier that named the sealed file, ``first_named`` of the first that named it at all;
    ``marks`` are those whose parts aren't all stored yet.
    """

    phase: Phase = Phase.BUFFERING
    checkpoint: int | None = None
    first_named: int | None = None
    marks: tuple[Mark, ...] = ()
    upload_id: str | None = None
    cut: tuple[int, ...] = ()
    stored: tuple[Part, ...] = ()
    tail: int = 0

    @property
    def size(self) -> int:
        """Bytes of the file so far."""
        return sum(self.cut) + self.tail


# Events


@dataclass(frozen=True)
class PartCut:
    """The encoder has filled the next part, or the last one at close."""

    size: int


@dataclass(frozen=True)
class UploadCreated:
    """The store gave an upload id, and the shim has been told."""

    upload_id: str


@dataclass(frozen=True)
class PartStored:
    """The store holds the part."""

    part: Part


@dataclass(frozen=True)
class Closed:
    """No more rows. ``tail`` bytes stay inline; with parts cut there is no tail."""

    tail: int


@dataclass(frozen=True)
class Marked:
    """A barrier names the file, which goes on."""

    checkpoint: int


@dataclass(frozen=True)
class Named:
    """A barrier names the file, which is sealed."""

    checkpoint: int


@dataclass(frozen=True)
class CommitAsked:
    """A checkpoint that covers the file is complete."""


@dataclass(frozen=True)
class Visible:
    """The object is there and is this file."""


@dataclass(frozen=True)
class Dropped:
    """Orderly close: the file will never be named."""


Event = PartCut | UploadCreated | PartStored | Closed | Marked | Named | CommitAsked | Visible | Dropped


# Effects


@dataclass(frozen=True)
class CreateUpload:
    """Create the upload, tell the shim, answer with UploadCreated."""


@dataclass(frozen=True)
class SendPart:
    """Upload part ``number``, answer with PartStored."""

    upload_id: str
    number: int


@dataclass(frozen=True)
class AnnounceMark:
    """The entry of the open file for that barrier is final: answer whoever waits for it."""

    checkpoint: int


@dataclass(frozen=True)
class AnnounceEntry:
    """The entry of the file is final: answer whoever waits for it."""


@dataclass(frozen=True)
class Complete:
    """Make the object visible, answer with Visible."""


@dataclass(frozen=True)
class AbortUpload:
    """Abort the upload: no snapshot can name it (I6)."""

    upload_id: str


Effect = CreateUpload | SendPart | AnnounceMark | AnnounceEntry | Complete | AbortUpload
Step = tuple[FileState, tuple[Effect, ...]]


def advance(state: FileState, event: Event) -> Step:
    """Next state and effects, in the order in which they are to be started. Raises ``WrongState``."""
    allowed, step = _STEPS[type(event)]
    if state.phase not in allowed:
        raise WrongState(f"{type(event).__name__} came to a file that is {state.phase.value}")
    return step(state, event)


def _part_cut(state: FileState, event: PartCut) -> Step:
    after = replace(state, phase=Phase.UPLOADING, cut=(*state.cut, event.size))
    if not state.cut:
        return after, (CreateUpload(),)
    # Parts cut before the upload has its id wait for UploadCreated.
    return after, ((SendPart(state.upload_id, len(after.cut)),) if state.upload_id else ())


def _upload_created(state: FileState, event: UploadCreated) -> Step:
    if state.upload_id is not None or not state.cut:
        raise WrongState(f"upload {event.upload_id} came to a file that asked for none")
    after = replace(state, upload_id=event.upload_id)
    if state.phase is Phase.ABANDONED:
        return after, (AbortUpload(event.upload_id),)
    return after, tuple(SendPart(event.upload_id, number) for number in range(1, len(state.cut) + 1))


def _part_stored(state: FileState, event: PartStored) -> Step:
    part = event.part
    if state.phase is Phase.ABANDONED:
        return state, ()
    if any(part.number == other.number for other in state.stored):
        raise WrongState(f"part {part.number} was stored twice")
    if not 1 <= part.number <= len(state.cut) or state.cut[part.number - 1] != part.size:
        raise WrongState(f"part {part.number} of {part.size} bytes was stored but never cut")
    return _settle(replace(state, stored=tuple(sorted((*state.stored, part), key=lambda p: p.number))))


def _closed(state: FileState, event: Closed) -> Step:
    if event.tail and state.cut:
        raise WrongState(f"a file with {len(state.cut)} parts can't keep {event.tail} bytes inline")
    return _settle(replace(state, phase=Phase.SEALED, tail=event.tail))


def _marked(state: FileState, event: Marked) -> Step:
    mark = Mark(event.checkpoint, len(state.cut))
    return _settle(replace(state, marks=(*state.marks, mark), first_named=_first(state, event.checkpoint)))


def _named(state: FileState, event: Named) -> Step:
    if state.checkpoint is not None:
        raise WrongState(f"barrier {event.checkpoint} names a file that barrier {state.checkpoint} has named")
    return _settle(replace(state, checkpoint=event.checkpoint, first_named=_first(state, event.checkpoint)))


def _first(state: FileState, checkpoint: int) -> int:
    return checkpoint if state.first_named is None else state.first_named


def _settle(state: FileState) -> Step:
    """A mark is over, and SEALED becomes PENDING once a barrier has named it, when every part has its ETag (I1)."""
    whole = tuple(mark for mark in state.marks if sum(part.number <= mark.parts for part in state.stored) == mark.parts)
    effects: tuple[Effect, ...] = tuple(AnnounceMark(mark.checkpoint) for mark in whole)
    after = replace(state, marks=tuple(mark for mark in state.marks if mark not in whole)) if whole else state
    if state.phase is Phase.SEALED and state.checkpoint is not None and len(state.stored) == len(state.cut):
        return replace(after, phase=Phase.PENDING), (*effects, AnnounceEntry())
    return after, effects


def _commit_asked(state: FileState, _: CommitAsked) -> Step:
    return replace(state, phase=Phase.COMPLETING), (Complete(),)


def _visible(state: FileState, _: Visible) -> Step:
    return replace(state, phase=Phase.COMPLETED), ()


def _dropped(state: FileState, _: Dropped) -> Step:
    if state.first_named is not None:
        raise WrongState(f"barrier {state.first_named} has named the file: its upload must stay (I6)")
    after = replace(state, phase=Phase.ABANDONED)
    return after, ((AbortUpload(state.upload_id),) if state.upload_id else ())


_OPEN = frozenset({Phase.BUFFERING, Phase.UPLOADING})
_STEPS: dict[type, tuple[frozenset[Phase], Callable[[FileState, Any], Step]]] = {
    PartCut: (_OPEN, _part_cut),
    UploadCreated: (frozenset({Phase.UPLOADING, Phase.SEALED, Phase.ABANDONED}), _upload_created),
    PartStored: (frozenset({Phase.UPLOADING, Phase.SEALED, Phase.ABANDONED}), _part_stored),
    Closed: (_OPEN, _closed),
    Marked: (_OPEN, _marked),
    Named: (frozenset({Phase.SEALED}), _named),
    CommitAsked: (frozenset({Phase.PENDING}), _commit_asked),
    Visible: (frozenset({Phase.COMPLETING}), _visible),
    Dropped: (_OPEN | {Phase.SEALED}, _dropped),
}
