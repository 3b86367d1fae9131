"""Arrow batches of one file go in, the bytes of one Parquet file come out, row group by row group.

``append`` gathers batches until they make a row group of ``parquet.block.size`` (row_groups.py foretells the size), since
pyarrow starts a row group with each call. Buffers that a row passes: its batch (waiting.py: kept whole, or packed where it
is a slice) → pyarrow's pages of one column → ``bytes`` of a page, handed to ``emit``.
"""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from partition_bridge.encode.options import ParquetOptions
from partition_bridge.encode.row_group_writer import RowGroupWriter
from partition_bridge.encode.sink import Emit
from partition_bridge.encode.waiting import WaitingRows
from partition_bridge.encode.writer_arguments import writer_arguments

__all__ = ["ParquetEncoder", "ParquetOptions"]


class ParquetEncoder:
    """Encoder of one Parquet file that looks like one of Flink's.

    Life: ``append``*, ``ending`` at barriers → ``finish`` or ``abandon``; after an exception only ``abandon`` is left. Nothing is emitted
    but from inside ``append``, ``flush_row_group``, ``ending`` and ``finish``, and the footer only from ``finish``: an encoder that is
    dropped, collected or left by an exception publishes nothing (I2). Not thread-safe; ``emit`` is called on the caller's thread.
    """

    def __init__(self, schema: pa.Schema, options: ParquetOptions, emit: Emit) -> None:
        # Field metadata of another Arrow implementation would end up as Parquet field ids and footer keys.
        self._schema = _without_metadata(schema)
        self._options = options
        self._file = RowGroupWriter(self._schema, partial(writer_arguments, options), emit)
        self._waiting = WaitingRows(self._schema)
        self._usable = True
        self._ending: tuple[int, int, bytes] | None = None
        self.rows = 0
        """Rows appended, waiting ones included."""

    @property
    def buffered_bytes(self) -> int:
        """Arrow bytes that wait for their row group."""
        return self._waiting.bytes

    @property
    def encoded_bytes(self) -> int:
        """Bytes emitted so far."""
        return self._file.size

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

    def ending(self) -> bytes:
        """At a barrier: what would end the file here, behind everything emitted so far. The file goes on after it.

        Waiting rows that are worth a row group are emitted as one; the others are in the ending, and go on waiting.
        """
        self._check_usable()
        if self._ending is None or self._ending[:2] != (self.rows, self._file.size):
            self._usable = False
            ending = self._new_ending()
            self._ending = (self.rows, self._file.size, ending)
            self._usable = True
        return self._ending[2]

    def _new_ending(self) -> bytes:
        self._file.interrupt()
        if not self._waiting.rows:
            return self._file.ending(None)
        stretch = self._file.stretch(self._waiting.table())
        if len(stretch.content) < self._options.row_groups.worthwhile:
            return self._file.ending(stretch)
        self._file.adopt(stretch)
        self._waiting.clear()
        return self._file.ending(None)

    def finish(self) -> None:
        """Encode what waits and emit the footer. A file without rows is a valid file too."""
        self.flush_row_group()
        self._usable = False
        self._file.finish()

    def abandon(self) -> None:
        """Release batches and encoder state; emits nothing. Allowed at any time, repeatedly."""
        self._usable = False
        self._waiting.clear()
        self._file.abandon()

    def _check_usable(self) -> None:
        if not self._usable:
            raise RuntimeError("this Parquet encoder is finished, abandoned or has failed")

    def _write_full_row_groups(self) -> None:
        sizing = self._options.row_groups
        rest, size = self._waiting.table(), self._waiting.bytes
        while (rows := sizing.rows_to_write(size, rest.num_rows)) > 0:
            group, before = rest.slice(0, rows), self._file.size
            self._write_row_group(group)
            sizing.learn_group(size * rows // rest.num_rows or 1, self._file.size - before)
            size -= size * rows // rest.num_rows
            rest = rest.slice(rows)
        self._waiting.clear()
        for batch in rest.to_batches():
            self._waiting.add(batch)

    def _write_row_group(self, group: pa.Table) -> None:
        self._usable = False
        self._file.write(group)
        self._usable = True

    def _try(self, arrow_bytes: int) -> None:
        """Encode about ``arrow_bytes`` of what waits into the void, and learn its size."""
        waiting = self._waiting
        table = waiting.table().slice(0, max(1, waiting.rows * arrow_bytes // waiting.bytes))
        self._options.row_groups.learn_trial(waiting.bytes * table.num_rows // waiting.rows, self._file.measure(table))


def _without_metadata(schema: pa.Schema) -> pa.Schema:
    return pa.schema([field.remove_metadata() for field in schema])
