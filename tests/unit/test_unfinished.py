"""Inserts whose job has died for good in the middle of their commit: they are found, and undone on wish."""

import pytest

from partition_bridge.frames import Overwrite
from partition_bridge.unfinished import undo, unfinished
from tests.support.inserts import ID, LIST, META, OLD, OTHER_ID, Died, Mortal, Table


def test_whatever_request_it_died_at_nothing_of_an_insert_is_left() -> None:
    """INSERT INTO dies at each request of its commit. Undone, the table is as before, no upload is open, and no list is there."""
    for at in range(len(Table(Overwrite.NOTHING).requests())):
        table = Table(Overwrite.NOTHING)
        before = table.content()
        with pytest.raises(Died):
            table.commit(table.writers(), rerun=False, store=Mortal(table.store, at, after=True))
        found = list(unfinished(table.store, "lake", "t"))
        if table.store.head("lake", LIST) is None:
            assert not found, "it has ended, or not begun"
            continue
        (insert,) = found
        assert insert.id == ID
        assert set(insert.visible) == {each.key for each in table.store.list_objects("lake", "t/") if "/part-7062" in each.key}
        undo(table.store, insert)
        assert table.content() == before, "the rows of the insert are gone, all others stay"
        assert not list(table.store.list_uploads("lake", "")), "no upload is left"
        assert not list(unfinished(table.store, "lake", "t")), "and no list"


def test_undoing_can_be_interrupted_and_done_again() -> None:
    """The list goes last: whatever request the undoing ends at, the next one finds what is left."""
    at = 0
    while True:
        table = Table(Overwrite.NOTHING)
        before = table.content()
        with pytest.raises(Died):
            table.commit(table.writers(), rerun=False, store=Mortal(table.store, len(table.requests()) - 1))
        (insert,) = unfinished(table.store, "lake", "t")
        try:
            undo(Mortal(table.store, at, after=True), insert)
        except Died:
            for again in unfinished(table.store, "lake", "t"):
                undo(table.store, again)
        else:
            break
        assert table.content() == before
        at += 1
    assert at > 0, "it was interrupted"


def test_an_object_under_its_key_that_is_not_its_own_stays() -> None:
    """Somebody else's object lies where a file should come: it isn't counted as visible, and not removed (I10)."""
    table = Table(Overwrite.NOTHING)
    entries = table.writers()
    with pytest.raises(Died):
        table.commit(entries, rerun=False, store=Mortal(table.store, table.requests().index("put"), after=True))
    table.store.put("lake", entries[0].key, b"somebody's", META, only_if_absent=True)
    (insert,) = unfinished(table.store, "lake", "t")
    assert entries[0].key not in insert.visible
    undo(table.store, insert)
    assert table.store.read("lake", entries[0].key) == b"somebody's"


def test_an_overwriting_insert_tells_what_it_takes_with_it() -> None:
    """What INSERT OVERWRITE has removed doesn't come back: the list says how much that is, and undoing leaves the rest alone."""
    table = Table(Overwrite.ITS_PARTITIONS)
    with pytest.raises(Died):
        table.commit(table.writers(), rerun=False, store=Mortal(table.store, len(table.requests()) - 1))
    (insert,) = unfinished(table.store, "lake", "t")
    assert len(insert.plan.remove) == 5, "three files and two announcements"
    undo(table.store, insert)
    assert set(table.content()) == {"t/p=c"}, "of the overwritten partitions nothing is left"
    assert len(OLD) == 4


def test_only_the_table_that_is_asked_for() -> None:
    """Another table's list, one folder deeper or beside, isn't this table's."""
    table = Table(Overwrite.NOTHING)
    with pytest.raises(Died):
        table.commit(table.writers(), rerun=False, store=Mortal(table.store, table.requests().index("put"), after=True))
    content = table.store.read("lake", LIST)
    for other in (f"t/deeper/.bridge-insert-{OTHER_ID}", f"t2/.bridge-insert-{OTHER_ID}"):
        table.store.put("lake", other, content, META, only_if_absent=True)
    assert [each.id for each in unfinished(table.store, "lake", "t")] == [ID]
