"""Batches of one file on their way into its next row group."""

from __future__ import annotations

import pyarrow as pa

_A_FEW_ROWS = 1024
_WHOLE = 0.9


class WaitingRows:
    """Rows in order, each byte of them counted, none of others kept alive.

    A slice holds on to the whole batch that it was cut from: one row of a seldom written partition would keep megabytes of
    other files' rows. So slices are packed into an IPC message of their own, which copies a few rows faster than Arrow can
    count their bytes, and whole batches stay as they are (I8).
    """

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._batches: list[pa.RecordBatch | pa.Buffer] = []
        self.rows = 0
        self.bytes = 0
        """Arrow bytes; of packed slices with their envelope."""

    def add(self, batch: pa.RecordBatch) -> None:
        """Append a batch of the schema; raises ArrowInvalid for another one's."""
        if not batch.schema.equals(self._schema):
            raise pa.ArrowInvalid(f"a batch has {batch.schema} where the file has {self._schema}")
        if batch.num_rows <= _A_FEW_ROWS or (size := batch.nbytes) < _WHOLE * batch.get_total_buffer_size():
            packed = batch.serialize()
            self._batches.append(packed)
            self.bytes += packed.size
        else:
            self._batches.append(batch)
            self.bytes += size
        self.rows += batch.num_rows

    def table(self) -> pa.Table:
        """All rows; nothing is copied."""
        return pa.Table.from_batches(
            [pa.ipc.read_record_batch(batch, self._schema) if isinstance(batch, pa.Buffer) else batch for batch in self._batches],
            self._schema,
        )

    def clear(self) -> None:
        """Let all rows go."""
        self._batches.clear()
        self.rows = self.bytes = 0
