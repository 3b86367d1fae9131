"""The commit of a batch insert: whatever request it dies at, and whatever entries its rerun gets, the table is right in the end."""

import dataclasses
import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from partition_bridge import insert_list
from partition_bridge.checkpoints import END_OF_INPUT
from partition_bridge.commit import Committer
from partition_bridge.entries import Entry, Part
from partition_bridge.errors import BridgeError, EntryRefused, ProtocolViolation, StoreUnavailable, UploadMissing
from partition_bridge.faultpoint import nowhere
from partition_bridge.frames import Insert, Overwrite
from partition_bridge.insert import InsertCommit
from partition_bridge.insert_list import InsertList
from partition_bridge.orphans import orphans
from partition_bridge.store.faulty import Fault, with_faults
from partition_bridge.store.memory import MemoryStore
from partition_bridge.store.protocol import Store
from tests.support.golden_entries import GOLDEN, GOLDEN_LIST, LIST_FILE

ID = "70627269-1a2b-8c3d-9e4f-0123456789ab"
OTHER_ID = "70627269-1a2b-8c3d-9e4f-ffffffffffff"
LIST = f"t/.bridge-insert-{ID}"
PARTITIONS = ("p=a/", "p=b/")
META: dict[str, str] = {}
OLD = ("t/p=a/part-old", "t/p=a/sub/part-old", "t/p=b/part-old", "t/p=c/part-old")
HIDDEN = ("t/p=a/.hidden", "t/p=a/_draft", "t/_SUCCESS", "t/.staging_1/part-old")
"""What no insert touches."""


class _Died(BaseException):
    """The process is gone."""


@dataclass
class _Mortal:
    """A store whose caller dies at its request number `at`, counted from 0: before it takes effect, or after. None: never."""

    store: Store
    at: int | None = None
    after: bool = False
    requests: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.store, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            number = len(self.requests)
            self.requests.append(name)
            if self.at is not None and (number > self.at or (number == self.at and not self.after)):
                raise _Died
            answer = method(*args, **kwargs)
            if number == self.at:
                raise _Died
            return list(answer) if name.startswith("list_") else answer

        return call


@dataclass
class Table:
    """A table with old objects, and what jobs do to it. `partitions` are those that the insert has rows for."""

    overwrite: Overwrite
    partitions: tuple[str, ...] = PARTITIONS
    store: MemoryStore = field(default_factory=lambda: MemoryStore("lake"))
    attempts: Any = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        announced = [f"{key.rpartition('/')[0]}/_SUCCESS" for key in ("t/p=a/x", "t/p=b/x", "t/p=c/x")]
        for key in (*OLD, *HIDDEN, *announced):
            self.store.put("lake", key, b"old", META, only_if_absent=False)

    def writers(self) -> list[Entry]:
        """A run of the writers: for each partition a multipart file and an inline one, under names of their own."""
        attempt = next(self.attempts)
        return [self._file(partition, attempt, inline) for partition in self.partitions for inline in (False, True)]

    def _file(self, partition: str, attempt: int, inline: bool) -> Entry:
        body = f"{partition} {'small' if inline else 'large'}".encode()
        entry = dataclasses.replace(
            GOLDEN["v1-inline"],
            bucket="lake",
            key=f"t/{partition}part-{ID}-task-0-file-{int(inline)}-{attempt:08x}",
            partition=partition,
            token=f"{attempt:030x}{PARTITIONS.index(partition):x}{int(inline)}",
            checkpoint=END_OF_INPUT,
            tail=body,
            size=len(body),
        )
        if inline:
            return entry
        upload = self.store.create("lake", entry.key, {"pb-token": entry.token})
        stored = self.store.upload_part("lake", entry.key, upload, 1, bytearray(body))
        return dataclasses.replace(entry, tail=b"", upload_id=upload, parts=(Part(1, len(body), stored.etag),))

    def commit(self, entries: list[Entry], *, rerun: bool, store: Any = None) -> None:
        """An attempt of the committer, policies included: each partition gets its announcement. Raises what it dies of."""
        store = store or self.store
        committer = Committer(store, clock=lambda: 0, sleep=lambda _: None, reach=nowhere)
        with ThreadPoolExecutor(1) as pool:
            commit = InsertCommit(store, committer, pool, "lake", "t", nowhere, warn=lambda _: None)
            done = commit.run(Insert(ID, self.overwrite, "_SUCCESS", rerun), entries)
            for partition in done["partitions"]:  # type: ignore[attr-defined]
                store.put("lake", f"t/{partition}_SUCCESS", b"new", META, only_if_absent=False)
            commit.end()

    def requests(self) -> list[str]:
        """The requests of an undisturbed commit of such a table."""
        twin = Table(self.overwrite, self.partitions)
        counter = _Mortal(twin.store)
        twin.commit(twin.writers(), rerun=False, store=counter)
        return counter.requests

    def content(self) -> dict[str, list[bytes]]:
        """The visible data by folder."""
        found: dict[str, list[bytes]] = {}
        for each in self.store.list_objects("lake", "t/"):
            folder, _, name = each.key.rpartition("/")
            if not name.startswith(("_", ".")) and each.key not in HIDDEN:
                found.setdefault(folder, []).append(self.store.read("lake", each.key))
        return {folder: sorted(files) for folder, files in found.items()}

    def is_right(self) -> None:
        """What the insert must leave, whatever has happened on the way."""
        new = {
            f"t/{partition}"[:-1]: [f"{partition} large".encode(), f"{partition} small".encode()] for partition in self.partitions
        }
        old: dict[str, list[bytes]] = {}
        for key in OLD:
            gone = self.overwrite is Overwrite.THE_TABLE or (
                self.overwrite is Overwrite.ITS_PARTITIONS and key.startswith(tuple(f"t/{each}" for each in self.partitions))
            )
            if not gone:
                old.setdefault(key.rpartition("/")[0], []).append(b"old")
        folders = {*new, *old}
        assert self.content() == {each: sorted(new.get(each, []) + old.get(each, [])) for each in folders}, "each row once"
        for key in HIDDEN:
            if not (self.overwrite is Overwrite.THE_TABLE and key == "t/_SUCCESS"):
                gone = self.overwrite is Overwrite.THE_TABLE and key.startswith("t/p=")
                assert (self.store.head("lake", key) is None) == gone, "hidden objects go only with a folder that isn't hidden"
        assert self.store.head("lake", LIST) is None, "the list is gone"
        for partition in self.partitions:
            assert self.store.read("lake", f"t/{partition}_SUCCESS") == b"new", "each partition is announced"
        left = list(self.store.list_uploads("lake", "t/"))
        assert left == orphans(self.store, "lake", "t", named=()), "what is left of uploads is known as the bridge's"

    def nothing_half_done_is_announced(self) -> None:
        """A partition with the old announcement has its old files, all of them, and none of an overwriting insert."""
        for partition in self.partitions if self.overwrite is not Overwrite.NOTHING else ():
            if self.store.get("lake", f"t/{partition}_SUCCESS") == b"old":
                files = [
                    b for folder, found in self.content().items() if f"{folder}/".startswith(f"t/{partition}") for b in found
                ]
                assert files == [b"old"] * sum(key.startswith(f"t/{partition}") for key in OLD)


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
        with pytest.raises(_Died):
            table.commit(entries, rerun=False, store=_Mortal(table.store, at, after))
        table.nothing_half_done_is_announced()
        table.commit(table.writers() if writers_too else entries, rerun=True)
        table.is_right()


def test_dies_twice_with_other_entries_each_time(overwrite: Overwrite) -> None:
    """The rerun dies too, at each of its own requests, and the third attempt gets entries of a third run of the writers."""
    last = len(Table(overwrite).requests())
    for first, second in itertools.product(range(last), range(0, last, 2)):
        table = Table(overwrite)
        with pytest.raises(_Died):
            table.commit(table.writers(), rerun=False, store=_Mortal(table.store, first))
        try:
            table.commit(table.writers(), rerun=True, store=_Mortal(table.store, second))
        except _Died:
            table.nothing_half_done_is_announced()
        table.commit(table.writers(), rerun=True)
        table.is_right()


def test_a_job_that_starts_again_as_its_first_attempt(overwrite: Overwrite) -> None:
    """After the end of a JobManager attempts are counted from 0 again: what the job's first life left in its partitions is found."""
    for at in range(len(Table(overwrite).requests())):
        table = Table(overwrite)
        with pytest.raises(_Died):
            table.commit(table.writers(), rerun=False, store=_Mortal(table.store, at, after=True))
        table.commit(table.writers(), rerun=False)
        table.is_right()


def test_a_rerun_removes_nothing_that_came_later() -> None:
    """Files that another job adds between two attempts stay: the list was written before they came (I10)."""
    table = Table(Overwrite.ITS_PARTITIONS)
    entries = table.writers()
    with pytest.raises(_Died):
        table.commit(entries, rerun=False, store=_Mortal(table.store, table.requests().index("put") + 1))
    assert table.store.head("lake", LIST), "the list is written"
    later = f"t/p=a/part-{OTHER_ID}-task-0-file-0-00000000"
    table.store.put("lake", later, b"later", META, only_if_absent=True)
    table.commit(entries, rerun=True)
    assert table.store.read("lake", later) == b"later"


def test_entries_that_are_not_used_are_aborted() -> None:
    """Writers ran again although the list of their first run holds: nobody would ever complete what they uploaded this time."""
    table = Table(Overwrite.NOTHING)
    with pytest.raises(_Died):
        table.commit(table.writers(), rerun=False, store=_Mortal(table.store, table.requests().index("put") + 1))
    table.commit(table.writers(), rerun=True)
    table.is_right()
    assert not list(table.store.list_uploads("lake", "")), "neither run has left an upload"


def test_a_partition_that_only_the_first_run_had(overwrite: Overwrite) -> None:
    """A query that gives other rows when it runs again: what its first, complete run made visible and lost the list of, goes."""
    table = Table(overwrite)
    with pytest.raises(_Died):
        table.commit(table.writers(), rerun=False, store=_Mortal(table.store, len(table.requests()) - 1, after=True))
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
