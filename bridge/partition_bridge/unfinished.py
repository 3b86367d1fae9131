"""Batch inserts whose commit has begun and not ended: their lists lie under the table's path (docs/batch.md).

A job that still runs goes on from its list. One that has ended for good can't: what is visible of its insert stays, and nobody
completes the rest. Only a person can know which it is, so it's done here, when a person says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from partition_bridge import insert_list
from partition_bridge.insert_list import InsertList
from partition_bridge.names import LIST_OF_INSERT, folder_of
from partition_bridge.readback import Found, classify
from partition_bridge.store.protocol import Store


@dataclass(frozen=True)
class Unfinished:
    """An insert's list; ``listed_ms``: when it was written, by the store's clock. ``visible``: keys of its files that readers see."""

    bucket: str
    key: str
    listed_ms: int
    plan: InsertList
    visible: tuple[str, ...]

    @property
    def id(self) -> str:
        """The insert's, which is in the names of its files."""
        return self.key.rpartition(LIST_OF_INSERT)[2]


def unfinished(store: Store, bucket: str, prefix: str) -> Iterator[Unfinished]:
    """Those under the table path ``prefix`` ("" is the whole bucket). Raises ``EntryRefused`` for a list that can't be read."""
    for found in store.list_objects(bucket, f"{folder_of(prefix)}{LIST_OF_INSERT}"):
        content = store.get(bucket, found.key)
        # It may have ended since it was listed.
        if content is not None:
            plan = insert_list.decode(content)
            visible = tuple(each.key for each in plan.files if classify(each, store.head(bucket, each.key)) is Found.OURS)
            yield Unfinished(bucket, found.key, found.modified_ms, plan, visible)


def undo(store: Store, insert: Unfinished) -> None:
    """Remove its visible files, abort its uploads, and then its list: interrupted, it can be done again. No object but its own goes (I10)."""
    for key in insert.visible:
        store.delete(insert.bucket, key)
    for each in insert.plan.files:
        if each.upload_id is not None and each.key not in insert.visible:
            store.abort(insert.bucket, each.key, each.upload_id)
    store.delete(insert.bucket, insert.key)
