"""One batch with the rows of several files goes in, one batch per file comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from partition_bridge.errors import ProtocolViolation

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE_COLUMN = "__file"


def by_file(batch: pa.RecordBatch, file: int) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Give ``(file, rows)`` with the last column, ``__file``, dropped; rows of one file keep their order.

    ``file`` ≥ 0 says that all rows are that file's and ``__file`` isn't read. Otherwise each file
    comes once, and its batch is a slice of one sorted copy, so the cost hardly grows with the number of files.

    Raises ProtocolViolation when the last column isn't ``__file``: the frames and the schema disagree.
    """
    last = batch.num_columns - 1
    if last < 0 or batch.schema.field(last).name != FILE_COLUMN:
        raise ProtocolViolation(f"the last column of a batch must be {FILE_COLUMN}, got {batch.schema.names}")
    rows = batch.select(range(last))
    if batch.num_rows == 0:
        return
    if file >= 0:
        yield file, rows
        return
    files = batch.column(last)
    runs = pc.run_end_encode(files)
    # Rows that lie together by file need no sorted copy.
    if len(runs.values) != pc.count_distinct(files).as_py():
        order = pc.array_sort_indices(files)
        rows = rows.take(order)
        runs = pc.run_end_encode(files.take(order))
    start = 0
    for number, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
        yield number, rows.slice(start, end - start)
        start = end
