"""Completing an entry: each way an answer can go wrong, on each side of the effect (I3, I10)."""

import dataclasses
from typing import Any

import pytest

from partition_bridge.commit import Committer, Outcome
from partition_bridge.entries import Entry, Part
from partition_bridge.errors import ForeignObject, NoSuchUpload, OutcomeUnknown, StoreUnavailable, UploadMissing
from partition_bridge.faultpoint import nowhere
from partition_bridge.store.faulty import Fault, with_faults
from partition_bridge.store.memory import MemoryStore
from partition_bridge.store.protocol import Store
from tests.support.golden_entries import GOLDEN

HOUR = 3_600_000
BODY = bytearray(b"rows of the file")


def committer(store: Store) -> Committer:
    """A committer that never really sleeps, five hours after the epoch."""
    return Committer(store, clock=lambda: 5 * HOUR, sleep=lambda _: None, reach=nowhere)


def pending(store: Store, inline: bool) -> Entry:
    """A pending entry, and in the store what belongs to it."""
    entry = dataclasses.replace(GOLDEN["v1-inline"], created_ms=0, tail=bytes(BODY), size=len(BODY))
    if inline:
        return entry
    upload_id = store.create(entry.bucket, entry.key, {"pb-token": entry.token})
    stored = store.upload_part(entry.bucket, entry.key, upload_id, 1, BODY)
    return dataclasses.replace(entry, tail=b"", upload_id=upload_id, parts=(Part(1, len(BODY), stored.etag),))


@pytest.fixture(params=[False, True], ids=["multipart", "inline"])
def inline(request: pytest.FixtureRequest) -> bool:
    """Both kinds of entry."""
    return request.param


@pytest.fixture(params=[False, True], ids=["repeat-says-yes", "repeat-says-no-such-upload"])
def memory(request: pytest.FixtureRequest) -> MemoryStore:
    """A store of either habit at a repeated complete."""
    return MemoryStore("lake", forgetful=request.param)


@pytest.fixture(params=[False, True], ids=["commit", "restore"])
def replay(request: pytest.FixtureRequest) -> bool:
    """A first commit, or one after a restore."""
    return request.param


def verb(inline: bool) -> str:
    """The verb that publishes the entry."""
    return "put" if inline else "complete"


def test_entry_becomes_visible_once(memory: MemoryStore, inline: bool, replay: bool) -> None:
    """The plain case; done again as a restore it is found to be there."""
    entry = pending(memory, inline)
    assert committer(memory).complete(entry, replay) is Outcome.COMPLETED
    assert memory.read(entry.bucket, entry.key) == bytes(BODY)
    assert committer(memory).complete(entry, replay=True) is Outcome.ALREADY


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("times", [1, 3])
def test_lost_answers_are_read_back(memory: MemoryStore, inline: bool, replay: bool, side: str, times: int) -> None:
    """Whether the effect came before the fault or not, the object is there in the end, once."""
    entry = pending(memory, inline)
    store = with_faults(memory, Fault(verb(inline), side, times))
    tried = committer(store)
    assert tried.complete(entry, replay) is Outcome.COMPLETED
    assert memory.read(entry.bucket, entry.key) == bytes(BODY)
    assert list(memory.list_uploads("lake", "")) == []
    assert tried.recovered.count == (side == "after"), "counted where only the look at the store told"


def test_store_that_stays_silent_is_a_retry(memory: MemoryStore, inline: bool, replay: bool) -> None:
    """After the bounded tries the error says that nothing is visible yet, and leaves the upload."""
    entry = pending(memory, inline)
    store = with_faults(memory, Fault(verb(inline), "before", 100))
    with pytest.raises(StoreUnavailable, match="isn't visible after 4 tries"):
        committer(store).complete(entry, replay)
    assert memory.head(entry.bucket, entry.key) is None
    assert committer(memory).complete(entry, replay=True) is Outcome.COMPLETED, "a restart completes it"


def test_silence_to_the_question_too_is_an_unknown_outcome(memory: MemoryStore, inline: bool) -> None:
    """When neither the effect nor the read-back is answered, the writer says that it doesn't know."""
    entry = pending(memory, inline)
    store = with_faults(memory, Fault(verb(inline), "after"), Fault("head", "before", 100))
    with pytest.raises(OutcomeUnknown, match="a restart looks again"):
        committer(store).complete(entry, replay=False)
    assert committer(memory).complete(entry, replay=True) is Outcome.ALREADY, "and the restart finds it"


@pytest.mark.parametrize("other", [b"another job's rows of any size", bytes(len(BODY))], ids=["other-size", "same-size"])
def test_foreign_object_is_left_alone(memory: MemoryStore, inline: bool, replay: bool, other: bytes) -> None:
    """An object without our token stays, whatever its size, and the job fails (I10)."""
    entry = pending(memory, inline)
    memory.put(entry.bucket, entry.key, other, {}, only_if_absent=True)
    with pytest.raises(ForeignObject, match="left as it is"):
        committer(memory).complete(entry, replay)
    assert memory.read(entry.bucket, entry.key) == other


def test_missing_upload_names_everything_a_person_needs(memory: MemoryStore, replay: bool) -> None:
    """An upload aborted from outside: the message has key, upload id, checkpoint, age, cause and remedy."""
    entry = pending(memory, inline=False)
    assert entry.upload_id is not None
    memory.abort(entry.bucket, entry.key, entry.upload_id)
    with pytest.raises(UploadMissing) as missing:
        committer(memory).complete(entry, replay)
    for fact in (entry.key, entry.upload_id, "checkpoint 42", "5.0 hours", "AbortIncompleteMultipartUpload", "'skip'"):
        assert fact in str(missing.value)


def test_repeated_yes_for_an_object_that_was_deleted_is_not_believed() -> None:
    """A store may say yes to a repeated complete though the object is gone: the restore looks."""
    memory = MemoryStore("lake", forgetful=False)
    entry = pending(memory, inline=False)
    committer(memory).complete(entry, replay=False)
    memory.delete(entry.bucket, entry.key)
    with pytest.raises(UploadMissing):
        committer(memory).complete(entry, replay=True)


class Pretending(MemoryStore):
    """The first request gets no answer and has no effect; so many repetitions get a yes, and have none either."""

    def __init__(self, by_client: bool, lies: int) -> None:
        super().__init__("lake")
        self._by_client = by_client
        self._lies = lies
        self._asked = False

    def _answer(self) -> int | None:
        if not self._asked and not self._by_client:
            self._asked = True
            raise StoreUnavailable("no clear answer")
        self._lies -= 1
        return 1 if self._lies >= 0 else None

    def complete(self, *arguments: Any, **more: Any) -> int:
        answer = self._answer()
        return super().complete(*arguments, **more) if answer is None else answer

    def put(self, *arguments: Any, **more: Any) -> int:
        answer = self._answer()
        return super().put(*arguments, **more) if answer is None else answer


@pytest.mark.parametrize("by_client", [False, True], ids=["repeated-by-us", "repeated-by-the-client"])
def test_yes_to_a_repetition_is_no_proof(inline: bool, by_client: bool) -> None:
    """A store that was killed in the middle of the first Complete may say yes to the second one, without an object: it's done again."""
    store = Pretending(by_client, lies=1)
    entry = pending(store, inline)
    assert committer(store).complete(entry, replay=False) is Outcome.COMPLETED
    assert store.read(entry.bucket, entry.key) == bytes(BODY), "the object is there, whatever was said before"


def test_store_that_says_yes_for_ever_fails_the_job(inline: bool, replay: bool) -> None:
    """Nothing is counted as visible that isn't; a restart says that the upload is gone."""
    store = Pretending(by_client=True, lies=100)
    entry = pending(store, inline)
    with pytest.raises(UploadMissing, match="no object is there"):
        committer(store).complete(entry, replay)


def test_no_such_upload_before_the_object_shows_is_looked_at_again() -> None:
    """Complete took effect, its answer was lost, and the first look comes too early."""
    memory = MemoryStore("lake")
    entry = pending(memory, inline=False)
    lost = Fault("complete", "before", 1, lambda: NoSuchUpload("fault injected"))
    assert committer(with_faults(memory, lost)).complete(entry, replay=False) is Outcome.COMPLETED
