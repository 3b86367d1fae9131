"""Rows of a shared batch find their files."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition_bridge.encode.split import by_file
from partition_bridge.errors import ProtocolViolation
from tests.unit.encode.rows import every_type


def with_files(rows: pa.RecordBatch, files: list[int]) -> pa.RecordBatch:
    """The rows with ``__file`` as last column."""
    schema = rows.schema.append(pa.field("__file", pa.int32(), nullable=False))
    return pa.RecordBatch.from_arrays([*rows.columns, pa.array(files, pa.int32())], schema=schema)


def numbered(files: list[int]) -> pa.RecordBatch:
    """Rows with a number and a nullable list, and their files."""
    n = len(files)
    tags = pa.array([None if i % 3 == 0 else [str(i)] * (i % 4) for i in range(n)], pa.list_(pa.string()))
    return with_files(pa.record_batch({"n": pa.array(range(n), pa.int32()), "tags": tags}), files)


@settings(deadline=None)
@given(st.lists(st.integers(0, 5) | st.integers(0, 2**31 - 1), max_size=60), st.integers(0, 10))
def test_each_file_gets_its_rows_in_their_order(files: list[int], skipped: int) -> None:
    """What comes out for a file equals a filter by it; every row comes out once, slices included."""
    batch = numbered(files).slice(min(skipped, len(files)))

    parts = list(by_file(batch, -1))

    numbers = [file for file, _ in parts]
    assert sorted(set(numbers)) == sorted(numbers) == sorted(set(files[skipped:])), "each file once, no other"
    for file, rows in parts:
        rows.validate(full=True)
        expected = batch.filter(pc.equal(batch.column(2), file)).select([0, 1])
        assert rows.equals(expected), f"the rows of file {file}, in order"


def test_rows_of_one_file_are_passed_without_a_look() -> None:
    """With a file given, ``__file`` isn't read and nothing is copied."""
    batch = numbered([9, 8, 7])

    [(file, rows)] = by_file(batch, 4)

    assert file == 4, "the frame's file"
    assert rows.schema.names == ["n", "tags"], "without __file"
    assert rows.column(0).buffers()[1].address == batch.column(0).buffers()[1].address, "the same memory"


def test_rows_that_lie_together_are_not_copied() -> None:
    """A batch that is grouped already is only sliced, in the order in which it came."""
    batch = numbered([7, 7, 3, 3, 5])

    parts = list(by_file(batch, -1))

    assert [file for file, _ in parts] == [7, 3, 5], "each group where it was"
    assert parts[0][1].column(0).buffers()[1].address == batch.column(0).buffers()[1].address, "the same memory"


def test_every_type_can_be_split() -> None:
    """Nested values go with their rows."""
    rows = every_type("us")

    parts = dict(by_file(with_files(rows, [2, 1, 2, 1, 2]), -1))

    assert parts[1].to_pylist() == [rows.to_pylist()[i] for i in (1, 3)], "file 1"
    assert parts[2].to_pylist() == [rows.to_pylist()[i] for i in (0, 2, 4)], "file 2"


def test_a_batch_without_the_file_column_is_refused() -> None:
    """The frame and its schema disagree: nothing may be guessed."""
    with pytest.raises(ProtocolViolation, match="__file"):
        list(by_file(pa.record_batch({"a": [1]}), 0))
