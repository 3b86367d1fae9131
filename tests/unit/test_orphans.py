"""Orphans: open uploads with the bridge's mark that no checkpoint names."""

import pytest

from partition_bridge.errors import NoSuchUpload
from partition_bridge.orphans import abort, orphans
from partition_bridge.store.memory import MemoryStore

UUID = "70627269-0000-8000-8000-00000000000a"
OURS = f"t/day=1/part-{UUID}-0-0"


@pytest.fixture
def store() -> MemoryStore:
    """A store with one bucket."""
    return MemoryStore("lake")


def test_only_marked_uploads_under_the_table_path_that_nothing_names_are_orphans(store: MemoryStore) -> None:
    """Foreign uploads, uploads of a table whose path merely starts alike, and those that a checkpoint names stay out."""
    lost = store.create("lake", OURS, {})
    kept = store.create("lake", f"t/day=2/part-{UUID}-0-1", {})
    store.create("lake", "t/day=1/part-6ba7b810-9dad-41d1-80b4-00c04fd430c8-0-0", {})
    store.create("lake", f"t2/day=1/part-{UUID}-0-0", {})

    found = orphans(store, "lake", "t", {(f"t/day=2/part-{UUID}-0-1", kept)})
    assert [(upload.key, upload.upload_id) for upload in found] == [(OURS, lost)], "one is ours and unnamed"
    assert orphans(store, "lake", "/t/", {(upload.key, upload.upload_id) for upload in found}) != [], "slashes don't matter"


def test_another_upload_of_a_named_key_is_an_orphan(store: MemoryStore) -> None:
    """A checkpoint names an upload, not a key: Create may have been repeated after a lost answer."""
    first = store.create("lake", OURS, {})
    second = store.create("lake", OURS, {})
    assert [upload.upload_id for upload in orphans(store, "lake", "t", {(OURS, second)})] == [first], "only the first is unnamed"


def test_younger_uploads_can_be_left_out(store: MemoryStore) -> None:
    """A running job's newest uploads are in no checkpoint yet, so an age can be asked for."""
    store.create("lake", OURS, {})
    (upload,) = orphans(store, "lake", "t", frozenset())
    assert orphans(store, "lake", "t", frozenset(), before_ms=upload.initiated_ms) == [], "as young as the limit"
    assert orphans(store, "lake", "t", frozenset(), before_ms=upload.initiated_ms + 1) == [upload], "older than the limit"


def test_abort_forgets_them_and_bears_one_that_is_gone(store: MemoryStore) -> None:
    """What a person has aborted meanwhile is no error."""
    upload_id = store.create("lake", OURS, {})
    found = orphans(store, "lake", "t", frozenset())
    assert abort(store, "lake", found) == 1, "one was found"
    assert abort(store, "lake", found) == 1, "repeating it is harmless"
    with pytest.raises(NoSuchUpload):
        store.list_parts("lake", OURS, upload_id)
