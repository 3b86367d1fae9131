"""The commit of a batch insert: whatever request it dies at, and whatever entries its rerun gets, the table is right in the end."""

import dataclasses
import itertools

import pytest

from partition_bridge import insert_list
from partition_bridge.checkpoints import END_OF_INPUT
from partition_bridge.errors import BridgeError, EntryRefused, ProtocolViolation, StoreUnavailable, UploadMissing
from partition_bridge.frames import Overwrite
from partition_bridge.insert_list import InsertList
from partition_bridge.store.faulty import Fault, with_faults
from tests.support.golden_entries import GOLDEN_LIST, LIST_FILE
from tests.support.inserts import ID, LIST, META, OTHER_ID, Died, Mortal, Table


@pytest.fixture(params=list(Overwrite), ids=lambda each: each.name.lower())
def overwrite(request: pytest.FixtureRequest) -> Overwrite:
    """What the insert removes."""
    return Overwrite(request.param)


def test_undisturbed(overwrite: Overwrite) -> None:
    """An insert leaves what it must, and no upload."""
    table = Table(overwrite)
    table.commit(table.writers(), rerun=False)
    table.is_right()
    assert not list(table.store.list_uploads("lake", "")), "every upload was completed"


def test_list_that_a_repeated_request_only_seems_to_have_stored() -> None:
    """The client had to send the list twice and got a yes, but it isn't there: nothing is completed, and a rerun does it all."""
    table = Table(Overwrite.THE_TABLE)
    entries = table.writers()
    put = table.store.put
    table.store.put = lambda *_, **__: 1  # type: ignore[method-assign]
    with pytest.raises(BridgeError, match="list of insert"):
        table.commit(entries, rerun=False)
    assert {file for files in table.content().values() for file in files} == {b"old"}, "nothing has changed yet"
    table.store.put = put  # type: ignore[method-assign]
    table.commit(entries, rerun=True)
    table.is_right()


@pytest.mark.parametrize("writers_too", [False, True], ids=["committer-reruns", "writers-rerun-too"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_dies_at_any_request(overwrite: Overwrite, after: bool, writers_too: bool) -> None:
    """The committer dies at each of its requests in turn; its rerun gets the same entries, or those of writers that ran again."""
    for at in range(len(Table(overwrite).requests())):
        table = Table(overwrite)
        entries = table.writers()
        with pytest.raises(Died):
            table.commit(entries, rerun=False, store=Mortal(table.store, at, after))
        table.nothing_half_done_is_announced()
        table.commit(table.writers() if writers_too else entries, rerun=True)
        table.is_right()


def test_dies_twice_with_other_entries_each_time(overwrite: Overwrite) -> None:
    """The rerun dies too, at each of its own requests, and the third attempt gets entries of a third run of the writers."""
    last = len(Table(overwrite).requests())
    for first, second in itertools.product(range(last), range(0, last, 2)):
        table = Table(overwrite)
        with pytest.raises(Died):
            table.commit(table.writers(), rerun=False, store=Mortal(table.store, first))
        try:
            table.commit(table.writers(), rerun=True, store=Mortal(table.store, second))
        except Died:
            table.nothing_half_done_is_announced()
        table.commit(table.writers(), rerun=True)
        table.is_right()


def test_a_job_that_starts_again_as_its_first_attempt(overwrite: Overwrite) -> None:
    """After the end of a JobManager attempts are counted from 0 again: what the job's first life left in its partitions is found."""
    for at in range(len(Table(overwrite).requests())):
        table = Table(overwrite)
        with pytest.raises(Died):
            table.commit(table.writers(), rerun=False, store=Mortal(table.store, at, after=True))
        table.commit(table.writers(), rerun=False)
        table.is_right()


def test_a_rerun_removes_nothing_that_came_later() -> None:
    """Files that another job adds between two attempts stay: the list was written before they came (I10)."""
    table = Table(Overwrite.ITS_PARTITIONS)
    entries = table.writers()
    with pytest.raises(Died):
        table.commit(entries, rerun=False, store=Mortal(table.store, table.requests().index("put") + 1))
    assert table.store.head("lake", LIST), "the list is written"
    later = f"t/p=a/part-{OTHER_ID}-task-0-file-0-00000000"
    table.store.put("lake", later, b"later", META, only_if_absent=True)
    table.commit(entries, rerun=True)
    assert table.store.read("lake", later) == b"later"


def test_entries_that_are_not_used_are_aborted() -> None:
    """Writers ran again although the list of their first run holds: nobody would ever complete what they uploaded this time."""
    table = Table(Overwrite.NOTHING)
    with pytest.raises(Died):
        table.commit(table.writers(), rerun=False, store=Mortal(table.store, table.requests().index("put") + 1))
    table.commit(table.writers(), rerun=True)
    table.is_right()
    assert not list(table.store.list_uploads("lake", "")), "neither run has left an upload"


def test_a_partition_that_only_the_first_run_had(overwrite: Overwrite) -> None:
    """A query that gives other rows when it runs again: what its first, complete run made visible and lost the list of, goes."""
    table = Table(overwrite)
    with pytest.raises(Died):
        table.commit(table.writers(), rerun=False, store=Mortal(table.store, len(table.requests()) - 1, after=True))
    assert table.store.head("lake", LIST) is None, "the first attempt had done everything"
    table.partitions = ("p=a/",)
    table.commit(table.writers(), rerun=True)
    assert not [key for key in its_files(table) if key.startswith("t/p=b/")], "its file in the other partition is gone"


def its_files(table: Table) -> list[str]:
    """Keys of the insert's visible files, whatever attempt wrote them."""
    return [each.key for each in table.store.list_objects("lake", "t/") if ID in each.key]


def test_no_rows(overwrite: Overwrite) -> None:
    """Without rows only a whole table is emptied; partitions without rows stay as they are."""
    table = Table(overwrite, partitions=())
    table.commit([], rerun=False)
    table.is_right()


def test_lost_answers_of_the_list(overwrite: Overwrite) -> None:
    """The list is stored and the answer lost: the attempt fails, and the next one finds its list."""
    table = Table(overwrite)
    entries = table.writers()
    with pytest.raises(StoreUnavailable):
        table.commit(entries, rerun=False, store=with_faults(table.store, Fault("put", "after")))
    assert table.store.head("lake", LIST), "written all the same"
    table.commit(entries, rerun=True)
    table.is_right()


def test_an_upload_that_is_gone_fails_with_what_to_do() -> None:
    """A cleanup took an upload while the job ran: the message names the file and the way on."""
    table = Table(Overwrite.NOTHING)
    entries = table.writers()
    gone = next(each for each in entries if each.upload_id)
    table.store.abort("lake", gone.key, str(gone.upload_id))
    with pytest.raises(UploadMissing, match=r"Run the statement again") as failure:
        table.commit(entries, rerun=False)
    assert gone.key in str(failure.value)
    assert str(END_OF_INPUT) not in str(failure.value), "a batch job has no checkpoint to speak of"


def test_files_of_another_insert_are_refused() -> None:
    """An entry that isn't the insert's would be made visible beside its list's bookkeeping."""
    table = Table(Overwrite.NOTHING)
    stranger = dataclasses.replace(table.writers()[0], key=f"t/p=a/part-{OTHER_ID}-task-0-file-0-00000000")
    with pytest.raises(ProtocolViolation, match="isn't of insert"):
        table.commit([stranger], rerun=False)


def test_list_as_bytes() -> None:
    """A list comes back as it was; shortened, prolonged or changed anywhere, it is refused (I7)."""
    plan = InsertList(("t/p=ä/part-old", "t/_SUCCESS"), tuple(Table(Overwrite.NOTHING).writers()))
    data = insert_list.encode(plan)
    assert insert_list.decode(data) == plan
    for broken in (*(data[:size] for size in range(len(data))), data + b"\0", *(_flipped(data, at) for at in range(len(data)))):
        with pytest.raises((EntryRefused, BridgeError)):
            insert_list.decode(broken)


def test_list_of_version_1_is_read_for_ever() -> None:
    """A job that goes on with a newer release finds the list of the older one."""
    assert insert_list.decode(LIST_FILE.read_bytes()) == GOLDEN_LIST


def _flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
