"""A table in memory into which batch inserts are committed, by a committer that may die at any of its requests."""

import dataclasses
import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from partition_bridge.checkpoints import END_OF_INPUT
from partition_bridge.commit import Committer
from partition_bridge.entries import Entry, Part
from partition_bridge.faultpoint import nowhere
from partition_bridge.frames import Insert, Overwrite
from partition_bridge.insert import InsertCommit
from partition_bridge.orphans import orphans
from partition_bridge.store.memory import MemoryStore
from partition_bridge.store.protocol import Store
from tests.support.golden_entries import GOLDEN

ID = "70627269-1a2b-8c3d-9e4f-0123456789ab"
OTHER_ID = "70627269-1a2b-8c3d-9e4f-ffffffffffff"
LIST = f"t/.bridge-insert-{ID}"
PARTITIONS = ("p=a/", "p=b/")
META: dict[str, str] = {}
OLD = ("t/p=a/part-old", "t/p=a/sub/part-old", "t/p=b/part-old", "t/p=c/part-old")
HIDDEN = ("t/p=a/.hidden", "t/p=a/_draft", "t/_SUCCESS", "t/.staging_1/part-old")
"""What no insert touches."""


class Died(BaseException):
    """The process is gone."""


@dataclass
class Mortal:
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
                raise Died
            answer = method(*args, **kwargs)
            if number == self.at:
                raise Died
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
        counter = Mortal(twin.store)
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
