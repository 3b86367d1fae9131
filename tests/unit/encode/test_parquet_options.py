"""The keys of the DDL, their defaults, and what is said about bad values."""

from __future__ import annotations

import pyarrow as pa
import pytest

from partition_bridge.encode.parquet import ParquetOptions
from partition_bridge.errors import Configuration, ProtocolViolation

SCHEMA = pa.schema([("a", pa.int64()), ("t", pa.timestamp("us")), ("l", pa.list_(pa.field("element", pa.string())))])
MEMORY = 256 * 1024**2


def parse(options: dict[str, str]) -> ParquetOptions:
    """Options of a table with SCHEMA."""
    return ParquetOptions.parse(options, SCHEMA, MEMORY)


def test_defaults_are_those_of_flink_and_parquet_mr() -> None:
    """A table without any ``parquet.*`` key gets what Flink's sink writes."""
    options = parse({})

    assert (options.codec, options.level) == ("snappy", None), "Flink's default codec"
    assert options.page_size == options.dictionary_page_size == 1024**2, "1 MB pages"
    assert options.row_groups.target == 128 * 1024**2, "128 MB row groups"
    assert options.row_groups.arrow_limit == MEMORY // 4, "the share of one file"
    assert options.int96, "timestamps as INT96"
    assert options.dictionary_columns == ("a", "l.list.element", "t"), "dictionaries wherever allowed"
    assert (options.format_version, options.data_page_version) == ("1.0", "1.0"), "what Flink's own reader reads"


@pytest.mark.parametrize(("codec", "key", "level"), [("zstd", None, 3), ("zstd", "19", 19), ("gzip", None, 6)])
def test_levels_are_those_of_parquet_mr(codec: str, key: str | None, level: int) -> None:
    """Arrow's own defaults differ (1 and 9): files would be larger or slower than Flink's."""
    options = {"parquet.compression": codec}
    if key is not None:
        options["parquet.compression.codec.zstd.level"] = key

    assert parse(options).level == level


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("parquet.compression", "LZO", "snappy"),
        ("parquet.compression", "LZ4", "lz4_raw"),
        ("parquet.block.size", "128MB", "whole number from 1"),
        ("parquet.block.size", "0", "whole number from 1"),
        ("parquet.page.size", "-1", "whole number from 1"),
        ("parquet.dictionary.page.size", "", "whole number from 1"),
        ("parquet.enable.dictionary", "yes", "true or false"),
        ("parquet.enable.dictionary#a", "1", "true or false"),
        ("parquet.enable.dictionary#b", "true", "a, l.list.element, t"),
        ("parquet.writer.version", "3", "parquet_1_0 or parquet_2_0"),
        ("parquet.write.int64.timestamp", "on", "true or false"),
        ("parquet.timestamp.time.unit", "seconds", "millis or micros or nanos"),
    ],
)
def test_a_bad_value_names_key_value_and_what_is_allowed(key: str, value: str, allowed: str) -> None:
    """The message is enough to mend the DDL."""
    with pytest.raises(Configuration) as raised:
        parse({key: value})

    for part in (f"'{key}'", f"'{value}'", allowed):
        assert part in str(raised.value)


def test_a_bad_zstd_level_is_refused_where_zstd_is_used() -> None:
    """With another codec the key is without effect, as in parquet-mr."""
    level = {"parquet.compression.codec.zstd.level": "99"}

    with pytest.raises(Configuration, match="from -131072 to 22"):
        parse(level | {"parquet.compression": "zstd"})
    assert parse(level).codec == "snappy"


def test_sizes_are_read_as_hadoop_reads_them() -> None:
    """Blanks around and hexadecimal are taken."""
    assert parse({"parquet.block.size": " 0x100000 "}).row_groups.target == 1024**2


def test_keys_that_flinks_sink_does_not_read_pass() -> None:
    """parquet-mr knows more keys than Flink hands it; here too they have no effect."""
    assert parse({"parquet.bloom.filter.enabled": "true", "parquet.batch-size": "7", "parquet.x": "y"}) == parse({})


def test_timestamps_in_another_unit_than_asked_for_are_refused() -> None:
    """The shim makes them in the unit of the file: coercing here could lose digits."""
    with pytest.raises(ProtocolViolation, match=r"column t arrives in us.*asks for ms"):
        parse({"parquet.write.int64.timestamp": "true", "parquet.timestamp.time.unit": "millis"})


def test_a_table_of_partition_columns_only_is_refused() -> None:
    """As in Flink: a Parquet file needs a column."""
    with pytest.raises(Configuration, match="partition columns only"):
        ParquetOptions.parse({}, pa.schema([]), MEMORY)
