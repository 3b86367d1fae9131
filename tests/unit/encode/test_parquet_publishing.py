"""Nothing leaves an encoder that wasn't asked to write: pyarrow ends files on its own, the bridge must not (I2)."""

from __future__ import annotations

import gc

import pyarrow as pa
import pytest

from partition_bridge.encode.parquet import ParquetEncoder, ParquetOptions
from tests.unit.encode.rows import MEMORY

BATCH = pa.record_batch({"a": pa.array(range(1000)), "s": pa.array(["x"] * 1000)})


def started(chunks: list[bytes | pa.Buffer]) -> ParquetEncoder:
    """An encoder that has written one row group and holds another batch."""
    encoder = ParquetEncoder(BATCH.schema, ParquetOptions.parse({}, BATCH.schema, MEMORY), chunks.append)
    encoder.append(BATCH)
    encoder.flush_row_group()
    encoder.append(BATCH)
    return encoder


def test_abandon_emits_nothing_and_releases_the_rows() -> None:
    """No footer, no batch left, and the encoder takes nothing more."""
    chunks: list[bytes | pa.Buffer] = []
    encoder = started(chunks)
    before = len(chunks)

    encoder.abandon()
    encoder.abandon()
    gc.collect()

    assert len(chunks) == before, "nothing after abandon"
    assert encoder.buffered_bytes == 0, "rows are released"
    for use in (encoder.flush_row_group, encoder.finish, lambda: encoder.append(BATCH)):
        with pytest.raises(RuntimeError, match="abandoned"):
            use()


def test_an_encoder_that_is_collected_emits_nothing() -> None:
    """The finalizer of pyarrow's writer emits the footer; it must not get out."""
    chunks: list[bytes | pa.Buffer] = []
    encoder = started(chunks)
    before = len(chunks)

    del encoder
    gc.collect()

    assert len(chunks) == before, "no finalizer publishes"


def test_a_failure_while_bytes_are_passed_on_ends_the_encoder() -> None:
    """The error comes up as it is; a later finish can't publish the half file."""
    chunks: list[bytes | pa.Buffer] = []

    def emit(chunk: bytes | pa.Buffer) -> None:
        if len(chunks) == 3:
            raise ConnectionError("the store is gone")
        chunks.append(chunk)

    encoder = ParquetEncoder(BATCH.schema, ParquetOptions.parse({}, BATCH.schema, MEMORY), emit)
    encoder.append(BATCH)

    with pytest.raises(ConnectionError, match="the store is gone"):
        encoder.flush_row_group()

    with pytest.raises(RuntimeError, match="failed"):
        encoder.finish()
    encoder.abandon()
    del encoder
    gc.collect()
    assert len(chunks) == 3, "nothing followed"


def test_a_batch_of_another_schema_is_refused_and_publishes_nothing() -> None:
    """What can't be encoded fails, and the failed encoder stays silent."""
    chunks: list[bytes | pa.Buffer] = []
    encoder = started(chunks)
    before = len(chunks)

    with pytest.raises(pa.ArrowInvalid):
        encoder.append(pa.record_batch({"other": pa.array([1.5])}))

    encoder.abandon()
    gc.collect()
    assert len(chunks) == before, "nothing followed"


def test_finish_is_the_end() -> None:
    """After the footer nothing is taken."""
    chunks: list[bytes | pa.Buffer] = []
    encoder = started(chunks)
    encoder.finish()

    assert bytes(chunks[-1])[-4:] == b"PAR1", "the footer is the last thing emitted"
    with pytest.raises(RuntimeError, match="finished"):
        encoder.finish()
    encoder.abandon()
    assert encoder.encoded_bytes == sum(len(chunk) for chunk in chunks), "abandon after finish changes nothing"
