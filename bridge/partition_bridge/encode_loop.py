"""Takes ordered frames off the queue: rows into encoders, encoded bytes into parts, barriers when their files are sealed.

    queue ──Batch──► split by file ──► ParquetEncoder ──chunks──► PartCutter ──full part──► desk (upload)
          ──Bytes──► (encoded by the shim) ─► Compressor, where asked for ──► PartCutter
          ──Close──► finish the encoder, the rest is the last part, or inline where the file is small
          ──Barrier─► name its files

One thread, so that order needs no locks.
"""

from __future__ import annotations

import hashlib
import queue
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from partition_bridge import frames
from partition_bridge.desk import Desk
from partition_bridge.errors import ProtocolViolation
from partition_bridge.faultpoint import Reach
from partition_bridge.files import LiveFile
from partition_bridge.lifecycle import Closed, Named, PartCut
from partition_bridge.parts import ROLL_AT_PART
from partition_bridge.relief import Relief

if TYPE_CHECKING:
    import pyarrow as pa

    from partition_bridge.encode.compression import Compressor
    from partition_bridge.encode.parquet import ParquetEncoder
    from partition_bridge.parts import Chunk

Ordered = frames.Schema | frames.Batch | frames.Bytes | frames.Close | frames.Barrier


class EncodeLoop:
    """``run`` returns after ``stop``. ``send`` queues a frame; ``clock`` gives epoch milliseconds."""

    def __init__(
        self,
        desk: Desk,
        send: Callable[[bytes], None],
        format_options: Mapping[str, str],
        compression: Callable[[], Compressor] | None,
        inline_threshold: int,
        inline_limit: int,
        clock: Callable[[], int],
        reach: Reach,
    ) -> None:
        self.queue: queue.SimpleQueue[Ordered | None] = queue.SimpleQueue()
        self._desk, self._send, self._clock, self._reach = desk, send, clock, reach
        self._relief = Relief(desk, send)
        self._format_options = format_options
        self._compression = compression
        self._inline_threshold = inline_threshold
        # Inline bytes stay until the commit: they may not take the memory that rows need to move (I8).
        self._inline_limit = min(inline_limit, desk.budget.memory // 4)
        self._stopped = False
        self._schema: pa.Schema | None = None
        self._encoder: Callable[[LiveFile], ParquetEncoder] | None = None

    def stop(self) -> None:
        """Leave what is queued: it will never be named by a barrier."""
        self._stopped = True
        self.queue.put(None)

    def run(self) -> None:
        while (frame := self.queue.get()) is not None and not self._stopped:
            if isinstance(frame, frames.Batch):
                self._batch(frame)
            elif isinstance(frame, frames.Bytes):
                self._bytes(frame)
            elif isinstance(frame, frames.Close):
                self._close(self._desk.file(frame.file))
            elif isinstance(frame, frames.Barrier):
                self._barrier(frame)
            else:
                self._start(frame)

    def _start(self, frame: frames.Schema) -> None:
        import pyarrow as pa

        from partition_bridge.encode.parquet import ParquetEncoder, ParquetOptions

        if self._schema is not None or self._desk.encoder == "host":
            raise ProtocolViolation("a second schema, or one for files that the shim encodes: a writer has one table")
        schema = pa.ipc.read_schema(pa.py_buffer(frame.message))
        if schema.names[-1:] != ["__file"]:
            raise ProtocolViolation(f"the last column must be __file, not {schema.names[-1:]}")
        data = schema.remove(len(schema) - 1)
        options = ParquetOptions.parse(self._format_options, data, self._desk.budget.memory)
        self._schema = schema
        self._desk.schema = fingerprint(data)
        self._encoder = lambda live: ParquetEncoder(data, options, partial(self._emit, live))

    def _batch(self, frame: frames.Batch) -> None:
        import pyarrow as pa

        from partition_bridge.encode.split import by_file

        if self._schema is None:
            raise ProtocolViolation("rows before the schema")
        batch = pa.ipc.read_record_batch(pa.py_buffer(frame.message), self._schema)
        if batch.num_rows != frame.rows:
            raise ProtocolViolation(f"a batch of {batch.num_rows} rows is announced as {frame.rows}")
        now, arrow = self._clock(), 0
        for number, rows in by_file(batch, frame.file):
            live = self._desk.file(number)
            encoder = self._encoder_of(live)
            before, encoded = encoder.buffered_bytes, encoder.encoded_bytes
            encoder.append(rows)
            arrow += encoder.buffered_bytes - before
            live.rows += rows.num_rows
            live.last_write_ms = now
            if encoder.encoded_bytes != encoded:
                self._relief.progress(live, encoder.encoded_bytes)
        self._desk.counters.rows += frame.rows
        self._desk.adjust(received=-frame.size, arrow=arrow)
        self._relief.seek()

    def _bytes(self, frame: frames.Bytes) -> None:
        live = self._desk.file(frame.file)
        if self._desk.encoder != "host":
            raise ProtocolViolation(f"bytes for file {frame.file}, whose rows are encoded here")
        self._desk.adjust(received=-frame.size)
        self._encoded(live, frame.content)
        live.rows += frame.rows
        live.last_write_ms = self._clock()
        self._desk.counters.rows += frame.rows
        self._relief.seek()

    def _encoded(self, live: LiveFile, content: Chunk) -> None:
        compressor = self._compressor_of(live)
        if compressor is None:
            self._emit(live, content)
            return
        before = compressor.pending
        for block in compressor.feed(content):
            self._emit(live, block)
            self._relief.progress(live, live.state.size + live.cutter.pending)
        self._desk.adjust(encoded=compressor.pending - before)

    def _compressor_of(self, live: LiveFile) -> Compressor | None:
        if live.compressor is None and self._compression is not None:
            live.compressor = self._compression()
        return live.compressor

    def _endable(self, live: LiveFile) -> bytes:
        """Encode what has come as far as is worth it, so that the file could end here; what it would need then behind what is cut and pending."""
        if self._desk.encoder == "arrow":
            return self._parquet_ending(live)
        compressor = self._compressor_of(live)
        if compressor is None:
            return b""
        before = compressor.pending
        self._emit(live, compressor.flush())
        self._desk.adjust(encoded=-before)
        return compressor.ending()

    def _parquet_ending(self, live: LiveFile) -> bytes:
        encoder = self._encoder_of(live)
        buffered, encoded = encoder.buffered_bytes, encoder.encoded_bytes
        ending = encoder.ending()
        self._desk.adjust(arrow=encoder.buffered_bytes - buffered)
        if encoder.encoded_bytes != encoded:
            self._relief.progress(live, encoder.encoded_bytes)
        return ending

    def _encoder_of(self, live: LiveFile) -> ParquetEncoder:
        if live.encoder is None:
            if self._encoder is None:
                raise ProtocolViolation("rows or close before the schema")
            live.encoder = self._encoder(live)
        return live.encoder

    def _emit(self, live: LiveFile, chunk: Any) -> None:
        before = live.cutter.pending
        for body in live.cutter.feed(chunk):
            self._desk.adjust(encoded=-before)
            before = 0
            self._cut(live, body)
        self._desk.adjust(encoded=live.cutter.pending - before)

    def _cut(self, live: LiveFile, body: bytearray) -> None:
        number = len(live.state.cut) + 1
        live.bodies[number] = body
        self._desk.adjust(sending=len(body))
        self._desk.apply(live.number, PartCut(len(body)))
        if number >= ROLL_AT_PART:
            self._relief.ask_to_roll(live)

    def _close(self, live: LiveFile) -> None:
        if self._desk.encoder == "arrow":
            self._finish(live)
        else:
            self._emit(live, self._endable(live))
        size = live.cutter.pending
        rest = live.cutter.rest()
        self._desk.adjust(encoded=-size)
        # A part can't be empty; an object can.
        small = not live.state.cut and (size < self._inline_threshold or not size)
        if small and self._desk.budget.inline + size <= self._inline_limit:
            live.tail = bytes(rest)
            self._desk.adjust(inline=size)
            self._desk.apply(live.number, Closed(size))
            return
        if size:
            self._cut(live, rest)
        self._desk.apply(live.number, Closed(0))

    def _finish(self, live: LiveFile) -> None:
        encoder = self._encoder_of(live)
        buffered = encoder.buffered_bytes
        encoder.finish()
        live.encoder = None
        self._desk.adjust(arrow=-buffered)

    def _barrier(self, frame: frames.Barrier) -> None:
        for number in frame.files:
            self._desk.apply(number, Named(frame.checkpoint))
        for number in frame.open:
            live = self._desk.file(number)
            ending = self._endable(live)
            tail = live.cutter.peek() + ending
            self._desk.mark(number, frame.checkpoint, tail)
            self._send(frames.marked(number, frame.checkpoint, len(tail)))
        self._reach("barrier-before-ready", checkpoint=frame.checkpoint)
        self._desk.passed(frame.checkpoint)


def fingerprint(schema: pa.Schema) -> str:
    """16 hex digits that tell one list of data columns from another, on any pyarrow version."""
    text = "\n".join(f"{field.name}\0{field.type}\0{field.nullable}" for field in schema)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
