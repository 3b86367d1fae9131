"""Row groups of one Parquet file go in one by one, its bytes come out; at a barrier the file can be told how it would end there.

    stretch 1: row groups, their page index │ stretch 2: … │ the last: …, page index, footer of all

pyarrow's writer tells a file's footer only when it ends. So a stretch of the file ends at a barrier, its footer is kept back, and the next
stretch is written by another writer whose output begins where the file has got to: all offsets are the file's. The footers are
joined at the end, and readers see one ordinary file. A file that no barrier interrupts is one stretch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from partition_bridge.encode.sink import Emit, EncodedSink
from partition_bridge.parquet_footer import MAGIC, end_length, make_end, read_end

if TYPE_CHECKING:
    from collections.abc import Callable

_SKIPPED_AT_ONCE = pa.py_buffer(bytes(1 << 20))


@dataclass(frozen=True)
class Stretch:
    """Part of a file between two barriers: ``content`` without the footer, and what the footer says of it."""

    content: bytes
    metadata: pq.FileMetaData


class RowGroupWriter:
    """``arguments`` gives pyarrow's writer settings for a file whose first rows it's shown.

    Life: ``write``*, with ``interrupt``, ``stretch``, ``adopt`` and ``ending`` at barriers → ``finish``. Emits only from inside ``write``,
    ``interrupt``, ``adopt`` and ``finish``; the footer only from ``finish`` (I2). One that is dropped or left by an exception emits nothing more.
    """

    def __init__(self, schema: pa.Schema, arguments: Callable[[pa.Table], dict[str, Any]], emit: Emit) -> None:
        self._schema = schema
        self._arguments_for = arguments
        self._arguments: dict[str, Any] | None = None
        self._emit_on = emit
        self._sink: EncodedSink
        self._writer: pq.ParquetWriter | None = None
        self._past: pq.FileMetaData | None = None
        self.size = 0
        """Bytes emitted so far."""

    def write(self, group: pa.Table) -> None:
        """Encode ``group`` as the next row group."""
        writer = self._writer or self._begin(group)
        with self._sink.passing():
            writer.write_table(group, row_group_size=group.num_rows)

    def measure(self, table: pa.Table) -> int:
        """The size of ``table`` as a row group of its own, header of the file included; nothing is emitted."""
        sizes: list[int] = []
        sink = EncodedSink(lambda chunk: sizes.append(len(chunk)))
        with sink.passing():
            writer = pq.ParquetWriter(pa.PythonFile(sink, mode="w"), self._schema, **self._arguments_for(table))
            writer.write_table(table, row_group_size=table.num_rows)
        return sum(sizes)

    def interrupt(self) -> None:
        """End the stretch that is being written, so that ``ending`` is true; nothing written, nothing done."""
        if self._writer is not None:
            chunks: list[pa.Buffer | bytes] = []
            self._sink.emit = chunks.append
            stretch = _end(self._writer, self._sink, chunks)
            self._writer = None
            self.adopt(stretch)

    def stretch(self, group: pa.Table) -> Stretch:
        """``group`` as it would come next, after ``interrupt``; nothing is emitted."""
        chunks: list[pa.Buffer | bytes] = [] if self.size else [MAGIC]
        sink = EncodedSink(chunks.append)
        writer = self._open(sink, group)
        with sink.passing():
            writer.write_table(group, row_group_size=group.num_rows)
        return _end(writer, sink, chunks)

    def adopt(self, stretch: Stretch) -> None:
        """The stretch, which was made for this place of the file, becomes part of it."""
        self._emit(stretch.content)
        if self._past is None:
            self._past = stretch.metadata
        else:
            self._past.append_row_groups(stretch.metadata)

    def ending(self, last: Stretch | None) -> bytes:
        """What would end the file here, after ``interrupt``: with ``last``, which isn't part of it, and the footer."""
        if last is None:
            return self._footer_of_no_rows() if self._past is None else make_end(self._past)
        if self._past is None:
            return last.content + make_end(last.metadata)
        joined = read_end(make_end(self._past))
        joined.append_row_groups(last.metadata)
        return last.content + make_end(joined)

    def finish(self) -> None:
        """Emit the footer. A file without row groups is a valid file too."""
        if self._past is None:
            writer = self._writer or self._begin(self._schema.empty_table())
            with self._sink.passing():
                writer.close()
        else:
            self.interrupt()
            self._emit(make_end(self._past))
        self._writer = None

    def abandon(self) -> None:
        """Release the encoder's state; emits nothing."""
        # pyarrow would write the footer now (in __del__); the sink lets nothing pass.
        self._writer = None

    def _emit(self, chunk: pa.Buffer | bytes) -> None:
        self.size += len(chunk)
        self._emit_on(chunk)

    def _begin(self, first_rows: pa.Table) -> pq.ParquetWriter:
        if self._arguments is None:
            self._arguments = self._arguments_for(first_rows)
        self._sink = EncodedSink(self._emit)
        if not self.size:
            self._emit(MAGIC)
        self._writer = self._open(self._sink, first_rows)
        return self._writer

    def _open(self, sink: EncodedSink, first_rows: pa.Table) -> pq.ParquetWriter:
        """A writer whose output stands where the file does; what it has written to get there has not passed the sink."""
        out = pa.PythonFile(sink, mode="w")
        arguments = self._arguments or self._arguments_for(first_rows)
        writer = pq.ParquetWriter(out, self._schema, **arguments)
        left = self.size - len(MAGIC)
        while left > 0:
            left -= out.write(_SKIPPED_AT_ONCE.slice(0, min(left, len(_SKIPPED_AT_ONCE))))
        return writer

    def _footer_of_no_rows(self) -> bytes:
        chunks: list[pa.Buffer | bytes] = [MAGIC]
        sink = EncodedSink(chunks.append)
        return b"".join((MAGIC, make_end(_end(self._open(sink, self._schema.empty_table()), sink, chunks).metadata)))


def _end(writer: pq.ParquetWriter, sink: EncodedSink, chunks: list[pa.Buffer | bytes]) -> Stretch:
    """Close the writer, whose sink emits to ``chunks``."""
    with sink.passing():
        writer.close()
    content = b"".join(chunks)
    end = len(content) - end_length(content)
    return Stretch(content[:end], read_end(content[end:]))
