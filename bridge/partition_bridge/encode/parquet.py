"""Arrow batches of one file go in, the bytes of one Parquet file come out, row group by row group.

``append`` gathers batches until they make a row group of ``parquet.block.size`` (row_groups.py foretells the size), since
pyarrow starts a row group with each call. Buffers that a row passes: its batch (waiting.py: kept whole, or packed where it
is a slice) → pyarrow's pages of one column → ``bytes`` of a page, handed to ``emit``.
"""

from __future__ import annotations

import inspect
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from partition_bridge.encode.dictionaries import worthwhile
from partition_bridge.encode.options import ParquetOptions
from partition_bridge.encode.sink import Emit, EncodedSink
from partition_bridge.encode.waiting import WaitingRows

__all__ = ["ParquetEncoder", "ParquetOptions"]

_PYARROW_TAKES = inspect.signature(pq.ParquetWriter.__init__).parameters
# What parquet-mr always does and older pyarrow can't be told: page checksums; TIME as adjusted to UTC (pyarrow 16 does that
# unasked, and only so is the converted type written that older readers know).
_AS_PARQUET_MR = {name: True for name in ("write_page_checksum", "write_time_adjusted_to_utc") if name in _PYARROW_TAKES}
_ROWS_BETWEEN_PAGE_CHECKS = 1024


class ParquetEncoder:
    """Encoder of one Parquet file that looks like one of Flink's.

    Life: ``append``* → ``finish`` or ``abandon``; after an exception only ``abandon`` is left. Nothing is emitted but from
    inside ``append``, ``flush_row_group`` and ``finish``, and the footer only from ``finish``: an encoder that is dropped,
    collected or left by an exception publishes nothing (I2). Not thread-safe; ``emit`` is called on the caller's thread.
    """

    def __init__(self, schema: pa.Schema, options: ParquetOptions, emit: Emit) -> None:
        # Field metadata of another Arrow implementation would end up as Parquet field ids and footer keys.
        self._schema = _without_metadata(schema)
        self._options = options
        self._sink = EncodedSink(emit)
        self._writer: pq.ParquetWriter | None = None
        self._waiting = WaitingRows(self._schema)
        self._usable = True
        self.rows = 0
        """Rows appended, waiting ones included."""

    @property
    def buffered_bytes(self) -> int:
        """Arrow bytes that wait for their row group."""
        return self._waiting.bytes

    @property
    def encoded_bytes(self) -> int:
        """Bytes emitted so far."""
        return self._sink.size

    def append(self, batch: pa.RecordBatch) -> None:
        """Take a batch of the file's schema, and encode as many row groups as are full with it."""
        self._check_usable()
        if batch.num_rows == 0:
            return
        self._waiting.add(batch)
        self.rows += batch.num_rows
        sizing = self._options.row_groups
        while (wanted := sizing.next_trial(self._waiting.bytes)) is not None:
            self._try(wanted)
        if sizing.rows_to_write(self._waiting.bytes, self._waiting.rows):
            self._write_full_row_groups()

    def flush_row_group(self) -> None:
        """Encode what waits as a row group, however small; nothing waiting, nothing done."""
        self._check_usable()
        if self._waiting.rows:
            self._write_row_group(self._waiting.table())
            self._waiting.clear()

    def finish(self) -> None:
        """Encode what waits and emit the footer. A file without rows is a valid file too."""
        self.flush_row_group()
        self._usable = False
        writer = self._writer or self._open(self._schema.empty_table())
        with self._sink.passing():
            writer.close()
        self._writer = None

    def abandon(self) -> None:
        """Release batches and encoder state; emits nothing. Allowed at any time, repeatedly."""
        self._usable = False
        self._waiting.clear()
        # pyarrow would write the footer now (in __del__); the sink lets nothing pass.
        self._writer = None

    def _check_usable(self) -> None:
        if not self._usable:
            raise RuntimeError("this Parquet encoder is finished, abandoned or has failed")

    def _write_full_row_groups(self) -> None:
        sizing = self._options.row_groups
        rest, size = self._waiting.table(), self._waiting.bytes
        while (rows := sizing.rows_to_write(size, rest.num_rows)) > 0:
            group, before = rest.slice(0, rows), self._sink.size
            self._write_row_group(group)
            sizing.learn_group(size * rows // rest.num_rows or 1, self._sink.size - before)
            size -= size * rows // rest.num_rows
            rest = rest.slice(rows)
        self._waiting.clear()
        for batch in rest.to_batches():
            self._waiting.add(batch)

    def _write_row_group(self, group: pa.Table) -> None:
        self._usable = False
        writer = self._writer or self._open(group)
        with self._sink.passing():
            writer.write_table(group, row_group_size=group.num_rows)
        self._usable = True

    def _open(self, first_rows: pa.Table) -> pq.ParquetWriter:
        with self._sink.passing():
            self._writer = self._parquet_writer(self._sink, first_rows)
        return self._writer

    def _try(self, arrow_bytes: int) -> None:
        """Encode about ``arrow_bytes`` of what waits into the void, and learn its size."""
        waiting = self._waiting
        table = waiting.table().slice(0, max(1, waiting.rows * arrow_bytes // waiting.bytes))
        sink = EncodedSink(lambda _: None)
        with sink.passing():
            writer = self._parquet_writer(sink, table)
            writer.write_table(table, row_group_size=table.num_rows)
        self._options.row_groups.learn_trial(waiting.bytes * table.num_rows // waiting.rows, sink.size)

    def _parquet_writer(self, sink: EncodedSink, first_rows: pa.Table) -> pq.ParquetWriter:
        options = self._options
        arguments: dict[str, Any] = dict(
            compression=options.codec,
            compression_level=options.level,
            use_dictionary=worthwhile(first_rows, options.dictionary_columns) or False,
            dictionary_pagesize_limit=options.dictionary_page_size,
            data_page_size=options.page_size,
            data_page_version=options.data_page_version,
            version=options.format_version,
            write_batch_size=_rows_between_page_checks(first_rows, options.page_size),
            use_deprecated_int96_timestamps=options.int96,
            write_statistics=True,
            write_page_index=True,
            store_schema=False,
            **_AS_PARQUET_MR,
        )
        return pq.ParquetWriter(pa.PythonFile(sink, mode="w"), self._schema, **arguments)


def _rows_between_page_checks(rows: pa.Table, page_size: int) -> int:
    """Pyarrow looks at a page's size only so often: wide values would make pages many times too large."""
    widest = max(column.nbytes for column in rows.columns)
    rows_a_page = page_size * rows.num_rows // max(widest, 1)
    return max(1, min(_ROWS_BETWEEN_PAGE_CHECKS, rows_a_page // 4)) if rows.num_rows else _ROWS_BETWEEN_PAGE_CHECKS


def _without_metadata(schema: pa.Schema) -> pa.Schema:
    return pa.schema([field.remove_metadata() for field in schema])
