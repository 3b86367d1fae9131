"""Files that span checkpoints: each barrier names what they hold by then, and a restore ends them there."""

import os
from dataclasses import replace

import pytest

from partition_bridge import entries
from partition_bridge.errors import ForeignObject
from partition_bridge.parts import RESTORED_TAIL_PART
from partition_bridge.store.memory import MemoryStore
from tests.support.writers import InProcessWriter

HOST = {"encoder": "host", "schema": "0123456789abcdef"}
MIB = 1 << 20
TOKEN = "0a" * 16


def restored(store: MemoryStore, *open_entries: bytes) -> tuple[list[dict], InProcessWriter]:
    """What a new writer makes of the entries of its restored checkpoint."""
    writer = InProcessWriter(store, **HOST)
    writer.shim.restore(open_entries)
    (summary,) = writer.shim.call("restored")
    writer.shut_down()
    return summary["files"], writer


def test_each_barrier_names_what_the_file_holds_by_then() -> None:
    """Parts grow and the tail changes from barrier to barrier; nothing is visible before the file is closed and committed (I2)."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store, **HOST)
    shim = writer.shim
    first, second, third = b"a" * 100, os.urandom(7 * MIB), b"c" * 10

    # Phase 1: a barrier with a tail only, and one with a part and a tail.
    shim.open(0, "part-0", TOKEN)
    shim.encoded(0, first, rows=2)
    shim.barrier(1, [], still_open=[0])
    assert shim.call("snapshot_ready", 1)[1] == {"files": 1, "parts": 0, "uploaded_bytes": 0, "inline_bytes": 100}
    one = entries.decode(shim.pull(0, 1))
    assert (one.sealed, one.upload_id, one.parts, one.tail, one.rows) == (False, None, (), first, 2)
    shim.encoded(0, second, rows=3)
    shim.barrier(2, [], still_open=[0])
    two = entries.decode(shim.pull(0, 2))
    assert [part.size for part in two.parts] == [5 * MIB], "the full part is in the store (I1)"
    assert two.tail == (first + second)[5 * MIB :], "what is in no part yet is inline (I1)"
    assert (two.sealed, two.rows, two.checkpoint) == (False, 5, 1), "the checkpoint is the first that named the file"

    # Phase 2: its checkpoint completes, and the file goes on.
    shim.commit(2)
    assert shim.call("committed", 2)[1] == {"files": []}, "an open file isn't completed"
    assert list(store.list_objects("lake", "")) == []
    shim.encoded(0, third)
    shim.close_file(0)
    shim.barrier(3, [0])
    three = entries.decode(shim.pull(0, 3))
    assert (three.sealed, len(three.parts), three.tail, three.rows, three.checkpoint) == (True, 2, b"", 6, 1)
    shim.commit(3)
    shim.call("committed", 3)
    assert store.read("lake", "part-0") == first + second + third, "one object for the file of three checkpoints"
    writer.shut_down()
    assert writer.errors == []


def test_a_late_pull_gets_what_the_file_held_at_its_own_barrier() -> None:
    """Rows and even the close of the file come before the older checkpoint is written: its entry must not have them."""
    writer = InProcessWriter(MemoryStore("lake"), **HOST)
    shim = writer.shim
    shim.open(0, "part-0", TOKEN)
    shim.encoded(0, b"before")
    shim.barrier(1, [], still_open=[0])
    shim.encoded(0, b" and after")
    shim.close_file(0)
    shim.barrier(2, [0])
    shim.call("snapshot_ready", 2)
    assert entries.decode(shim.pull(0, 1)).tail == b"before"
    assert entries.decode(shim.pull(0, 2)).tail == b"before and after"
    writer.shut_down()
    assert writer.errors == []


def test_an_aborted_checkpoint_lets_its_tail_go_and_is_never_waited_for() -> None:
    """A PULL that comes after all gets an empty answer at once; the next barrier names the file as it is then."""
    writer = InProcessWriter(MemoryStore("lake"), **HOST)
    shim = writer.shim
    shim.open(0, "part-0", TOKEN)
    shim.encoded(0, b"a" * 1000)
    shim.barrier(1, [], still_open=[0])
    shim.call("snapshot_ready", 1)
    shim.send(8, (1).to_bytes(8, "big"))
    assert shim.pull(0, 1) == b"", "the checkpoint is over"
    shim.encoded(0, b"b")
    shim.barrier(2, [], still_open=[0])
    assert entries.decode(shim.pull(0, 2)).size == 1001
    writer.shut_down()
    assert writer.errors == []


def test_orderly_close_keeps_the_upload_of_an_open_file_that_a_barrier_named() -> None:
    """The snapshot names the upload: nobody may abort it (I6)."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store, **HOST)
    shim = writer.shim
    for file in (0, 1):
        shim.open(file, f"part-{file}", TOKEN)
        shim.encoded(file, os.urandom(6 * MIB))
        shim.call("upload_created", file)
    shim.barrier(1, [], still_open=[0])
    shim.call("snapshot_ready", 1)
    writer.shut_down()
    assert [upload.key for upload in store.list_uploads("lake", "")] == ["part-0"]
    assert writer.errors == []


def test_a_restore_ends_the_file_where_its_checkpoint_left_it() -> None:
    """The tail goes up under a number that a zombie of the old attempt can't reach, whatever it has sent since."""
    store = MemoryStore("lake")
    zombie = InProcessWriter(store, **HOST)
    shim = zombie.shim
    content = os.urandom(7 * MIB)
    shim.open(0, "part-0", TOKEN)
    shim.encoded(0, content, rows=9)
    shim.barrier(1, [], still_open=[0])
    entry = shim.pull(0, 1)

    # Phase 1: the zombie goes on and sends parts 2 and 3 of the same upload.
    shim.encoded(0, os.urandom(9 * MIB))
    shim.barrier(2, [], still_open=[0])
    assert shim.call("snapshot_ready", 2)[1]["parts"] == 3

    # Phase 2: the new attempt completes what the checkpoint named; a second one finds it.
    files, writer = restored(store, entry)
    assert files == [{"element": 0, "key": "part-0", "outcome": "completed", "bytes": len(content), "rows": 9}]
    assert store.read("lake", "part-0") == content, "no byte after the barrier, none missing"
    assert restored(store, entry)[0][0]["outcome"] == "already", "replay does no harm (I3)"
    assert writer.warnings == []


@pytest.mark.parametrize("size", [0, 10])
def test_a_restored_file_without_an_upload_is_stored_by_one_put(size: int) -> None:
    """Before its first part an open file is its tail, even an empty one."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store, **HOST)
    shim = writer.shim
    shim.open(0, "part-0", TOKEN)
    shim.encoded(0, b"x" * size)
    shim.barrier(1, [], still_open=[0])
    entry = shim.pull(0, 1)
    # An upload that is opened after the barrier isn't the checkpoint's.
    shim.encoded(0, os.urandom(6 * MIB))
    shim.call("upload_created", 0)
    assert restored(store, entry)[0][0]["outcome"] == "completed"
    assert store.read("lake", "part-0") == b"x" * size
    writer.shut_down()


def test_an_object_that_grew_in_a_later_checkpoint_stays_and_is_told() -> None:
    """Going back to an older checkpoint: the file is there with more rows; nothing is overwritten (I10), and a person is told."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store, **HOST)
    shim = writer.shim
    shim.open(0, "part-0", TOKEN)
    shim.encoded(0, b"one\n")
    shim.barrier(1, [], still_open=[0])
    entry = shim.pull(0, 1)
    shim.encoded(0, b"two\n")
    shim.close_file(0)
    shim.barrier(2, [0])
    shim.commit(2)
    shim.call("committed", 2)
    writer.shut_down()

    files, again = restored(store, entry)
    assert files[0]["outcome"] == "grown"
    assert store.read("lake", "part-0") == b"one\ntwo\n"
    assert "has more than the 1 rows" in again.warnings[0]

    # Another file's object under the same key is still refused, and so is a smaller one.
    for changed in (replace(entries.decode(entry), token="0b" * 16), replace(entries.decode(entry), tail=b"x" * 9, size=9)):
        refused = InProcessWriter(store, **HOST)
        refused.shim.restore([entries.encode(changed)])
        refused.shim.heard.wait_for("the failure", lambda refused=refused: refused.errors)
        assert isinstance(refused.errors[0], ForeignObject)


def test_part_numbers_leave_room_for_the_tail() -> None:
    """S3 ends an upload at part 10,000; writers ask to close a file long before."""
    assert RESTORED_TAIL_PART == 10_000
