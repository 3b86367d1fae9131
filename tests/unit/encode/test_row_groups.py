"""Row groups come out at ``parquet.block.size``, or earlier where memory asks for it."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from partition_bridge.encode.parquet import ParquetEncoder, ParquetOptions
from tests.unit.encode.rows import MEMORY, encode, opened

ROWS_A_BATCH = 2_000


def batches(shape: str, count: int) -> list[pa.RecordBatch]:
    """``count`` batches of reproducible rows of one shape."""
    chance = random.Random(shape)
    n = ROWS_A_BATCH

    def column(k: int) -> pa.Array:
        ids = range(k * n, (k + 1) * n)
        match shape:
            case "sequence":
                return pa.array(ids, pa.int64())
            case "random-ints":
                return pa.array([chance.getrandbits(63) for _ in ids], pa.int64())
            case "wide-strings":
                return pa.array([chance.randbytes(500).hex() for _ in ids])
            case "repeated-strings":
                return pa.array([f"a city with a long name, number {chance.randrange(500)}" for _ in ids])
            case "small-ints":
                return pa.array([chance.randrange(-100, 100) for _ in ids], pa.int8())
            case "timestamps":
                return pa.array([chance.getrandbits(40) for _ in ids], pa.timestamp("ms"))
            case _:
                return pa.array([[chance.random() for _ in range(i % 5)] for i in ids], pa.list_(pa.float64()))

    return [pa.record_batch({"c": column(k), "id": pa.array(range(n), pa.int32())}) for k in range(count)]


SHAPES = {
    "sequence": 300,
    "random-ints": 60,
    "wide-strings": 5,
    "repeated-strings": 150,
    "small-ints": 200,
    "timestamps": 60,
    "lists": 60,
}


def group_sizes(data: bytes) -> list[int]:
    """Bytes of each row group as they lie in the file."""
    metadata = opened(data).metadata
    sizes = []
    for g in range(metadata.num_row_groups):
        group = metadata.row_group(g)
        sizes.append(sum(group.column(c).total_compressed_size for c in range(group.num_columns)))
    return sizes


@pytest.mark.parametrize("codec", ["SNAPPY", "UNCOMPRESSED", "ZSTD"])
@pytest.mark.parametrize("shape", SHAPES)
def test_full_row_groups_are_within_a_fifth_of_the_block_size(shape: str, codec: str) -> None:
    """Of the first file too, for which nothing has been learned yet."""
    target = 300_000
    rows = batches(shape, SHAPES[shape])

    data = encode(rows, {"parquet.block.size": str(target), "parquet.compression": codec})

    full = group_sizes(data)[:-1]
    assert full, "the table is larger than one row group"
    assert all(0.8 * target <= size <= 1.2 * target for size in full), f"{full} against {target}"
    assert opened(data).read(["id"]).num_rows == len(rows) * ROWS_A_BATCH, "no row lost where a batch was cut"


def test_a_batch_larger_than_a_row_group_is_cut() -> None:
    """However the sender batches, the groups are those asked for."""
    whole = pa.Table.from_batches(batches("random-ints", 60)).combine_chunks().to_batches()[0]

    sizes = group_sizes(encode([whole], {"parquet.block.size": "100000"}))

    assert len(sizes) > 10, "one batch, many groups"
    assert all(80_000 <= size <= 120_000 for size in sizes[:-1]), str(sizes)


def test_what_one_file_teaches_the_next_uses() -> None:
    """The options of a table carry what was learned: the second file needs no trial."""
    rows = batches("repeated-strings", 100)
    options = ParquetOptions.parse({"parquet.block.size": "100000"}, rows[0].schema, MEMORY)
    for _ in range(2):
        encoder = ParquetEncoder(rows[0].schema, options, lambda _: None)
        for batch in rows:
            encoder.append(batch)
        encoder.finish()

        assert options.row_groups.next_trial(2**40) is None, "nothing more to try after a full group"


def test_memory_bounds_what_waits() -> None:
    """A row group ends at a quarter of the writer's memory, though it's smaller than asked (I8)."""
    rows = batches("random-ints", 60)
    memory = 400_000
    options = ParquetOptions.parse({}, rows[0].schema, memory)
    encoder = ParquetEncoder(rows[0].schema, options, lambda _: None)

    for batch in rows:
        encoder.append(batch)

        assert encoder.buffered_bytes <= memory // 4, "never more than the share waits after append"
    assert encoder.encoded_bytes > 0, "row groups were written early"


def test_a_row_group_can_be_flushed_early() -> None:
    """At a barrier what waits is encoded; a small group doesn't spoil what was learned of full ones."""
    rows = batches("random-ints", 4)
    options = ParquetOptions.parse({}, rows[0].schema, MEMORY)
    chunks: list[bytes] = []
    encoder = ParquetEncoder(rows[0].schema, options, lambda chunk: chunks.append(bytes(chunk)))
    encoder.append(rows[0])
    assert encoder.encoded_bytes == 0, "nothing is written before a group is full"
    assert encoder.buffered_bytes >= rows[0].nbytes, "all of it waits"

    encoder.flush_row_group()
    encoder.flush_row_group()

    assert encoder.buffered_bytes == 0, "nothing waits any more"
    encoder.append(rows[1])
    encoder.finish()
    assert opened(b"".join(chunks)).metadata.num_row_groups == 2, "the second flush had nothing to do"


@pytest.mark.parametrize("shape", ["wide-strings", "random-ints"])
def test_page_size_makes_pages(shape: str) -> None:
    """Smaller pages are more pages; wide values don't make them many times too large."""
    rows = batches(shape, 10)

    def pages(size: int) -> float:
        seen: list[int] = []
        options = ParquetOptions.parse(
            {"parquet.page.size": str(size), "parquet.compression": "NONE", "parquet.enable.dictionary": "false"},
            rows[0].schema,
            MEMORY,
        )
        encoder = ParquetEncoder(rows[0].schema, options, lambda chunk: seen.append(len(chunk)))
        for batch in rows:
            encoder.append(batch)
        encoder.flush_row_group()
        encoder.abandon()
        return max(seen)

    assert pages(16_384) <= 2 * 16_384, "no page far over its size"
    assert pages(65_536) > 32_768, "nor far under it"
