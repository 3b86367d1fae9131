"""What waits for its row group keeps only its own memory alive."""

from __future__ import annotations

import pyarrow as pa
import pytest

from partition_bridge.encode.waiting import WaitingRows
from tests.unit.encode.rows import every_type


def test_a_slice_does_not_keep_its_batch_alive() -> None:
    """One row of a quiet partition must not hold the rows of all others (I8)."""
    before = pa.total_allocated_bytes()
    waiting = WaitingRows(pa.schema({"a": pa.int64()}))
    for start in range(10):
        batch = pa.record_batch({"a": pa.array(range(100_000), pa.int64())})
        waiting.add(batch.slice(start, 1))
        del batch

    assert pa.total_allocated_bytes() - before < 100_000, "ten rows, not a million"
    assert waiting.table().column("a").to_pylist() == list(range(10)), "the right ten"
    assert waiting.bytes <= 10 * 1024, "counted with their envelopes"


def test_a_whole_batch_is_kept_as_it_is() -> None:
    """The common case copies nothing."""
    batch = pa.record_batch({"a": pa.array(range(100_000), pa.int64())})
    waiting = WaitingRows(batch.schema)

    waiting.add(batch)

    [kept] = waiting.table().to_batches()
    assert kept.column(0).buffers()[1].address == batch.column(0).buffers()[1].address, "the same memory"
    assert waiting.bytes == batch.nbytes, "counted exactly"


def test_every_type_survives_packing() -> None:
    """Nested columns of slices come back as they were."""
    batch = every_type("us")
    waiting = WaitingRows(batch.schema)

    waiting.add(batch.slice(0, 2))
    waiting.add(batch.slice(2))

    assert waiting.table().equals(pa.Table.from_batches([batch])), "the same rows"


def test_another_schema_is_refused() -> None:
    """At once, not when the row group is written."""
    waiting = WaitingRows(pa.schema({"a": pa.int64()}))

    with pytest.raises(pa.ArrowInvalid, match="where the file has"):
        waiting.add(pa.record_batch({"b": pa.array([1])}))
