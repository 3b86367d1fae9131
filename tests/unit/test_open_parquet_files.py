"""Parquet files that go on after a checkpoint: each barrier's entry ends as a whole file, however the writer goes on."""

import io

import pyarrow.parquet as pq
import pytest

from partition_bridge import entries
from partition_bridge.store.memory import MemoryStore
from tests.support.rows import random_rows
from tests.support.writers import InProcessWriter

TOKEN = "0a" * 16
MIB = 1 << 20


def ids(store: MemoryStore, key: str) -> list[int]:
    """Row ids of the Parquet object under `key`."""
    return list(pq.read_table(io.BytesIO(store.read("lake", key))).column("id").to_pylist())


@pytest.mark.parametrize("restored", [0, 1, 2], ids=["first", "with parts", "newest"])
def test_a_restore_of_any_barrier_ends_the_file_there(restored: int) -> None:
    """Few rows travel as the file's end in the entry; rows that are worth a row group go into parts before (I1)."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store, part_size=5 * MIB)
    shim = writer.shim
    shim.schema()
    shim.open(0, "part-0", TOKEN)
    taken: list[bytes] = []
    counts: list[int] = []
    rows = 0

    # Phase 1: a barrier with a few rows, one with a row group more, one with a few rows more. The writer becomes a zombie.
    for checkpoint, more in enumerate((10, 14_000, 10), start=1):
        for _ in range(0, more, 1_000):
            shim.rows(0, random_rows(min(more, 1_000), first=rows))
            rows += min(more, 1_000)
        shim.barrier(checkpoint, [], still_open=[0])
        taken.append(shim.pull(0, checkpoint))
        counts.append(rows)
    few, many, again = (entries.decode(entry) for entry in taken)
    assert (few.sealed, few.upload_id, few.parts, few.rows) == (False, None, (), 10), "all of it is inline"
    assert len(many.parts) >= 1, "a row group that was worth it has filled a part"
    assert again.parts == many.parts, "ten more rows aren't worth one"
    assert list(store.list_objects("lake", "")) == [], "no open file is visible (I2)"

    # Phase 2: the restart.
    attempt = InProcessWriter(store, part_size=5 * MIB)
    attempt.shim.restore([taken[restored]])
    (summary,) = attempt.shim.call("restored")
    assert summary["files"][0]["rows"] == counts[restored]
    assert ids(store, "part-0") == list(range(counts[restored])), "the rows before the barrier, and none after it"
    attempt.shut_down()
    assert attempt.errors == []
    writer.shut_down()


def test_closed_after_some_barriers_it_is_one_object_with_all_rows() -> None:
    """Barriers leave nothing in the file but its rows; row groups are few."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store)
    shim = writer.shim
    shim.schema()
    shim.open(0, "part-0", TOKEN)
    for checkpoint in range(1, 6):
        shim.rows(0, random_rows(100, first=(checkpoint - 1) * 100))
        shim.barrier(checkpoint, [], still_open=[0])
        entry = entries.decode(shim.pull(0, checkpoint))
        assert (entry.rows, entry.checkpoint) == (checkpoint * 100, 1), "the checkpoint is the first that named it"
        shim.commit(checkpoint)
        assert shim.call("committed", checkpoint)[1] == {"files": []}, "an open file isn't completed"
    shim.close_file(0)
    shim.barrier(6, [0])
    assert entries.decode(shim.pull(0, 6)).sealed
    shim.commit(6)
    shim.call("committed", 6)
    assert ids(store, "part-0") == list(range(500))
    assert pq.ParquetFile(io.BytesIO(store.read("lake", "part-0"))).num_row_groups == 1
    writer.shut_down()
    assert writer.errors == []


def test_the_shim_hears_what_an_open_file_has_in_the_state() -> None:
    """Its rule of what ends at a barrier reckons with it (I8)."""
    writer = InProcessWriter(MemoryStore("lake"))
    shim = writer.shim
    shim.schema()
    shim.open(0, "part-0", TOKEN)
    shim.rows(0, random_rows(100))
    shim.barrier(1, [], still_open=[0])
    assert shim.marked(0, 1) == len(entries.decode(shim.pull(0, 1)).tail)
    writer.shut_down()
    assert writer.errors == []
