"""A Parquet file that goes on after a barrier: it could end at each of them, and in the end it's one ordinary file."""

from __future__ import annotations

import gc
import random
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from partition_bridge.encode.parquet import ParquetEncoder, ParquetOptions
from tests.unit.encode.rows import MEMORY, every_type, opened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MIB = 1 << 20


class Growing:
    """A file under way: `chunks` are what its encoder has emitted."""

    def __init__(self, schema: pa.Schema, options: Mapping[str, str] | None = None) -> None:
        self.chunks: list[bytes | pa.Buffer] = []
        self.encoder = ParquetEncoder(schema, ParquetOptions.parse(options or {}, schema, MEMORY), self.chunks.append)

    @property
    def emitted(self) -> bytes:
        return b"".join(bytes(chunk) for chunk in self.chunks)


def rows_of(data: bytes) -> list[dict[str, object]]:
    """Every row of the file, in order."""
    return list(opened(data).read().to_pylist())


def told(batches: Sequence[pa.RecordBatch]) -> list[dict[str, object]]:
    """The rows of the batches as a file of one stretch gives them back: INT96 comes in another unit."""
    whole = Growing(batches[0].schema)
    for batch in batches:
        whole.encoder.append(batch)
    whole.encoder.finish()
    return rows_of(whole.emitted)


def noise(rows: int, seed: int) -> pa.RecordBatch:
    """Rows that no codec makes smaller: 100 bytes each."""
    content = random.Random(seed).randbytes(100 * rows)
    return pa.record_batch({"a": pa.array([content[at : at + 100] for at in range(0, len(content), 100)])})


@pytest.mark.parametrize("flush", [False, True], ids=["rows wait", "memory runs short"])
def test_at_each_barrier_the_file_could_end_there(flush: bool) -> None:
    """What is emitted by then and the ending are a whole file with the rows so far, and nothing of the ending is in the file."""
    batches = [every_type()] * 4
    growing = Growing(batches[0].schema)
    for count, batch in enumerate(batches, start=1):
        growing.encoder.append(batch)
        if flush:
            growing.encoder.flush_row_group()
        before = growing.emitted
        restored = before + growing.encoder.ending()
        if not flush:
            assert growing.emitted == before, "a few rows are no row group yet"
        else:
            restored = growing.emitted + growing.encoder.ending()
        assert rows_of(restored) == told(batches[:count]), f"the file of barrier {count} has its rows, no more and no less"
        assert opened(restored).metadata.num_rows == 5 * count
    growing.encoder.finish()
    assert rows_of(growing.emitted) == told(batches)
    assert opened(growing.emitted).num_row_groups == (4 if flush else 1), "barriers alone make no row groups"


def test_each_row_group_has_statistics_and_page_index() -> None:
    """Offsets of all stretches are those of the one file; readers that skip pages by the index find them."""
    growing = Growing(pa.schema([("a", pa.int64()), ("s", pa.string())]))
    for stretch in range(3):
        values = range(1000 * stretch, 1000 * stretch + 1000)
        growing.encoder.append(pa.record_batch({"a": pa.array(values), "s": pa.array([f"s{v % 7}" for v in values])}))
        growing.encoder.flush_row_group()
        growing.encoder.ending()
    growing.encoder.finish()
    file = opened(growing.emitted)
    assert file.num_row_groups == 3
    for number in range(3):
        column = file.metadata.row_group(number).column(0)
        assert (column.statistics.min, column.statistics.max) == (1000 * number, 1000 * number + 999)
        assert column.has_column_index, "pages can be skipped by their values"
        assert column.has_offset_index, "pages can be found"
        assert file.read_row_group(number)["a"].to_pylist() == list(range(1000 * number, 1000 * number + 1000))


def test_a_row_group_ends_at_a_barrier_when_it_is_worth_one() -> None:
    """8 MiB of encoded rows, or nearly `parquet.block.size`: fewer wait, and travel in the ending."""
    growing = Growing(noise(1, 0).schema)
    for seed in range(6):
        growing.encoder.append(noise(20_000, seed))
        growing.encoder.ending()
        assert (growing.encoder.buffered_bytes == 0) == (seed == 4), "10 MB are more than 8 MiB, 8 MB aren't"
    growing.encoder.finish()
    file = opened(growing.emitted)
    assert file.num_row_groups == 2, "of 2 MB each: one row group when 8 MiB were reached, one at the end"
    assert file.metadata.row_group(0).total_byte_size >= 8 * MIB
    small = Growing(noise(1, 0).schema, {"parquet.block.size": str(2 * MIB)})
    small.encoder.append(noise(19_500, 1))
    small.encoder.ending()
    assert small.encoder.buffered_bytes == 0, "over 90 % of a block"


def test_a_barrier_without_new_rows_encodes_nothing_again() -> None:
    """Idle files cost a checkpoint nothing but their bytes in the state."""
    growing = Growing(every_type().schema)
    growing.encoder.append(every_type())
    assert growing.encoder.ending() is growing.encoder.ending()


def test_a_file_without_rows_could_end_too() -> None:
    """An ending is asked for before the first row."""
    growing = Growing(every_type().schema)
    assert rows_of(growing.encoder.ending()) == []
    growing.encoder.append(every_type())
    growing.encoder.finish()
    assert len(rows_of(growing.emitted)) == 5


def test_abandoned_after_a_barrier_it_emits_nothing() -> None:
    """The footer was in the state, and never in the file (I2)."""
    growing = Growing(every_type().schema)
    growing.encoder.append(every_type())
    growing.encoder.flush_row_group()
    growing.encoder.ending()
    before = growing.emitted
    growing.encoder.append(every_type())
    growing.encoder.abandon()
    del growing.encoder
    gc.collect()
    assert growing.emitted == before


def test_a_failure_at_a_barrier_ends_the_encoder() -> None:
    """Where the page index of a stretch can't be passed on, nothing else may be."""
    broken = False

    def emit(_: object) -> None:
        if broken:
            raise ConnectionError("the store is gone")

    encoder = ParquetEncoder(every_type().schema, ParquetOptions.parse({}, every_type().schema, MEMORY), emit)
    encoder.append(every_type())
    encoder.flush_row_group()
    broken = True
    with pytest.raises(ConnectionError):
        encoder.ending()
    broken = False
    with pytest.raises(RuntimeError, match="failed"):
        encoder.finish()
