"""The writer's stages together, in one process: rows in, entries and visible objects out."""

import io

import pyarrow.parquet as pq

from partition_bridge import entries
from partition_bridge.store.memory import MemoryStore
from tests.support.rows import random_rows
from tests.support.writers import InProcessWriter


def ids(store: MemoryStore, key: str) -> list[int]:
    """Row ids of the Parquet object under `key`."""
    table = pq.read_table(io.BytesIO(store.read("lake", key)))
    return table.column("id").to_pylist()


def test_small_file_stays_inline_and_becomes_visible_at_commit() -> None:
    """A file under the threshold lives in its entry until the commit stores it by one PUT."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store)
    shim = writer.shim

    # Phase 1: one small file, sealed by barrier 1.
    shim.schema()
    shim.open(0, "day=1/part-0", "0a" * 16, partition="day=1/")
    shim.rows(0, random_rows(10))
    shim.close_file(0)
    shim.barrier(1, [0])
    entry = entries.decode(shim.pull(0, 1))
    _, summary = shim.call("snapshot_ready", 1)
    assert (entry.upload_id, entry.parts, len(entry.tail)) == (None, (), entry.size), "the whole file is in the entry"
    assert summary == {"files": 1, "parts": 0, "uploaded_bytes": 0, "inline_bytes": entry.size}
    assert list(store.list_objects("lake", "")) == [], "nothing is visible before the checkpoint is complete (I2)"

    # Phase 2: the checkpoint completes.
    shim.commit(1)
    assert shim.call("committed", 1)[1] == {"files": [{"file": 0, "bytes": entry.size, "rows": 10}]}
    assert ids(store, "day=1/part-0") == list(range(10)), "every row is there once"
    assert shim.pull(0, 2) == b"", "a completed file has no entry any more"
    writer.shut_down()
    assert writer.errors == []


def test_large_file_goes_up_in_equal_parts_while_it_is_written() -> None:
    """Parts leave as they fill; the entry names them all; the shim knows the upload first."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store, format_options={"parquet.block.size": str(4 << 20)})
    shim = writer.shim
    shim.schema()
    shim.open(0, "part-0", "0a" * 16)
    for batch in range(14):
        shim.rows(0, random_rows(1000, first=batch * 1000))
    _, key, upload_id = shim.call("upload_created", 0)
    assert key == "part-0"
    shim.close_file(0)
    shim.barrier(1, [0])
    entry = entries.decode(shim.pull(0, 1))
    assert entry.upload_id == upload_id
    sizes = [part.size for part in entry.parts]
    assert sizes[:-1] == [5 << 20] * (len(sizes) - 1), "equal parts but for the last"
    assert len(sizes) >= 2
    assert entry.tail == b""
    shim.commit(1)
    shim.call("committed", 1)
    assert ids(store, "part-0") == list(range(14_000))
    assert list(store.list_uploads("lake", "")) == [], "no upload is left"
    writer.shut_down()
    assert writer.errors == []
