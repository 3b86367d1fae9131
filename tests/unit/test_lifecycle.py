"""The life of a file: what is allowed leads to a visible object, anything else raises and changes nothing."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from partition_bridge.entries import Part
from partition_bridge.errors import WrongState
from partition_bridge.lifecycle import (
    AbortUpload,
    AnnounceEntry,
    AnnounceMark,
    Closed,
    CommitAsked,
    Complete,
    CreateUpload,
    Dropped,
    Event,
    FileState,
    Marked,
    Named,
    PartCut,
    PartStored,
    Phase,
    SendPart,
    UploadCreated,
    Visible,
    advance,
)

OPEN = {Phase.BUFFERING, Phase.UPLOADING}
SEALING = 1_000
EVENTS = [
    PartCut(5),
    UploadCreated("u"),
    PartStored(Part(1, 5, "e")),
    Closed(0),
    Closed(3),
    Marked(1),
    Named(1),
    CommitAsked(),
    Visible(),
    Dropped(),
]


class FileLife(RuleBasedStateMachine):
    """Drives one file with a model beside it: what was asked of the store, and what it answered."""

    def __init__(self) -> None:
        super().__init__()
        self.state = FileState()
        self.effects: list[object] = []
        self.asked: set[int] = set()
        self.stored: set[int] = set()
        self.marked: dict[int, int] = {}

    def do(self, event: Event) -> None:
        self.state, effects = advance(self.state, event)
        self.effects += effects
        self.asked |= {effect.number for effect in effects if isinstance(effect, SendPart)}

    @precondition(lambda self: self.state.phase in OPEN)
    @rule(size=st.integers(1, 9))
    def cut(self, size: int) -> None:
        self.do(PartCut(size))

    @precondition(lambda self: CreateUpload() in self.effects and self.state.upload_id is None)
    @rule()
    def created(self) -> None:
        self.do(UploadCreated("u"))

    @precondition(lambda self: self.asked - self.stored)
    @rule(data=st.data())
    def answered(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.asked - self.stored)))
        self.stored.add(number)
        self.do(PartStored(Part(number, self.state.cut[number - 1], f"e{number}")))

    @precondition(lambda self: self.state.phase in OPEN)
    @rule(tail=st.integers(0, 9))
    def close(self, tail: int) -> None:
        self.do(Closed(0 if self.state.cut else tail))

    @precondition(lambda self: self.state.phase in OPEN)
    @rule()
    def mark(self) -> None:
        checkpoint = len(self.marked)
        self.marked[checkpoint] = len(self.state.cut)
        self.do(Marked(checkpoint))

    @precondition(lambda self: self.state.phase is Phase.SEALED and self.state.checkpoint is None)
    @rule()
    def name(self) -> None:
        self.do(Named(SEALING))

    @precondition(lambda self: self.state.phase is Phase.PENDING)
    @rule()
    def commit(self) -> None:
        self.do(CommitAsked())

    @precondition(lambda self: self.state.phase is Phase.COMPLETING)
    @rule()
    def visible(self) -> None:
        self.do(Visible())

    @precondition(lambda self: self.state.first_named is None and self.state.phase in OPEN | {Phase.SEALED})
    @rule()
    def drop(self) -> None:
        self.do(Dropped())

    @rule(event=st.sampled_from(EVENTS))
    def stray(self, event: Event) -> None:
        """Any event at any time: it is taken or refused, and nothing but a refusal is raised."""
        before = self.state
        try:
            advance(before, event)
        except WrongState:
            assert self.state == before, "a refusal changes nothing"

    @invariant()
    def one_upload_at_most(self) -> None:
        assert self.effects.count(CreateUpload()) == (1 if self.state.cut else 0)

    @invariant()
    def announced_only_when_every_byte_is_safe(self) -> None:
        if AnnounceEntry() in self.effects:
            assert self.stored == set(range(1, len(self.state.cut) + 1)), "every part has its ETag (I1)"
            assert self.state.checkpoint == SEALING, "a barrier has named it"
            assert self.effects.count(AnnounceEntry()) == 1

    @invariant()
    def a_mark_is_announced_once_its_parts_are_safe(self) -> None:
        for checkpoint, parts in self.marked.items():
            safe = self.stored >= set(range(1, parts + 1))
            assert self.effects.count(AnnounceMark(checkpoint)) == safe, (
                "neither before (I1) nor never, however far the file has come"
            )

    @invariant()
    def completed_only_after_announcement(self) -> None:
        if Complete() in self.effects:
            assert AnnounceEntry() in self.effects, "only what a snapshot can hold becomes visible (I2)"

    @invariant()
    def named_uploads_are_never_aborted(self) -> None:
        if any(isinstance(effect, AbortUpload) for effect in self.effects):
            assert self.state.first_named is None, "I6"
            assert Complete() not in self.effects

    @invariant()
    def dropped_uploads_are_aborted(self) -> None:
        if self.state.phase is Phase.ABANDONED and self.state.upload_id:
            assert self.effects.count(AbortUpload("u")) == 1, "an upload that nobody names doesn't stay"


TestFileLife = FileLife.TestCase


def test_barrier_before_close_is_refused() -> None:
    """The shim closes each file before the barrier that names it; otherwise bytes would be missing from the entry."""
    with pytest.raises(WrongState, match="Named came to a file that is buffering"):
        advance(FileState(), Named(1))


def test_part_with_another_size_is_refused() -> None:
    """A part that isn't what was cut means mixed-up bytes."""
    state, _ = advance(FileState(), PartCut(5))
    with pytest.raises(WrongState, match="never cut"):
        advance(state, PartStored(Part(1, 4, "e")))
