"""The table's ``parquet.*`` options go in, what a Parquet encoder must know comes out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import pyarrow as pa

from partition_bridge.encode.columns import leaf_columns
from partition_bridge.encode.dictionaries import Dictionaries
from partition_bridge.encode.hadoop_values import boolean, one_of, refusal, whole_number
from partition_bridge.encode.row_groups import RowGroupSizing
from partition_bridge.errors import Configuration, ProtocolViolation

if TYPE_CHECKING:
    from collections.abc import Mapping

MEMORY_SHARE = 4
"""One file gathers at most this part (a quarter) of ``sink.writer.memory`` as Arrow batches; then its row group ends."""

_MOST_ROWS = 64 * 1024 * 1024  # pyarrow's own limit of a row group
_MEGABYTE = 1024 * 1024
_MOST_BYTES = 2**31 - 1  # parquet-mr reads sizes as Java ints
_UNITS = {"millis": "ms", "micros": "us", "nanos": "ns"}
_COLUMN_DICTIONARY = "parquet.enable.dictionary#"

Codec = Literal["none", "snappy", "gzip", "zstd", "brotli", "lz4"]
# LZO and LZ4 (in Hadoop's framing) can't be written by pyarrow, whose "lz4" is Parquet's LZ4_RAW.
_CODECS: dict[str, Codec] = {
    "uncompressed": "none",
    "none": "none",
    "snappy": "snappy",
    "gzip": "gzip",
    "zstd": "zstd",
    "brotli": "brotli",
    "lz4_raw": "lz4",
}
# parquet-mr's defaults, which aren't Arrow's: ZstandardCodec 3, Hadoop's zlib 6.
_DEFAULT_LEVELS: dict[Codec, int] = {"gzip": 6, "zstd": 3}


@dataclass(frozen=True)
class ParquetOptions:
    """What all files of one table share. Sizes are bytes.

    Exactly the keys that Flink's sink passes to parquet-mr (``ParquetRowDataBuilder``) have an effect, and as there all
    others pass unread. ``dictionary_columns`` holds the leaf paths that may have a dictionary: never FIXED_LEN_BYTE_ARRAY
    (DECIMAL), since parquet-mr writes none there and Flink's own reader can't read one.
    """

    codec: Codec
    level: int | None
    page_size: int
    dictionary_page_size: int
    dictionary_columns: tuple[str, ...]
    data_page_version: Literal["1.0", "2.0"]
    format_version: Literal["1.0", "2.6"]
    int96: bool
    row_groups: RowGroupSizing = field(compare=False)
    dictionaries: Dictionaries = field(compare=False)

    @classmethod
    def parse(cls, format_options: Mapping[str, str], schema: pa.Schema, memory: int) -> ParquetOptions:
        """Read the options of a table whose data file has ``schema``; ``memory`` is ``sink.writer.memory`` in bytes.

        Raises Configuration for a value that can't be used and for a table without data columns, ProtocolViolation when
        timestamps arrive in another unit than they are to be written in.
        """
        if len(schema) == 0:
            raise Configuration("a Parquet file needs a column: the table has partition columns only")
        codec = one_of(format_options, "parquet.compression", "snappy", _CODECS)
        level = _DEFAULT_LEVELS.get(codec)
        if codec == "zstd":
            level = whole_number(format_options, "parquet.compression.codec.zstd.level", 3, -131072, 22)
        int64 = boolean(format_options, "parquet.write.int64.timestamp", default=False)
        unit = one_of(format_options, "parquet.timestamp.time.unit", "us", _UNITS)
        if int64:
            _check_units(schema, unit)
        dictionary_columns = _dictionary_columns(format_options, schema)
        version_2 = one_of(
            format_options,
            "parquet.writer.version",
            False,
            {"parquet_1_0": False, "parquet_2_0": True, "v1": False, "v2": True},
        )
        return cls(
            codec=codec,
            level=level,
            page_size=whole_number(format_options, "parquet.page.size", _MEGABYTE, 1, _MOST_BYTES),
            dictionary_page_size=whole_number(format_options, "parquet.dictionary.page.size", _MEGABYTE, 1, _MOST_BYTES),
            dictionary_columns=dictionary_columns,
            data_page_version="2.0" if version_2 else "1.0",
            # Version 1.0 has no nanoseconds: pyarrow would round them.
            format_version="2.6" if version_2 or (int64 and unit == "ns") else "1.0",
            int96=not int64,
            row_groups=RowGroupSizing(
                target=whole_number(format_options, "parquet.block.size", 128 * _MEGABYTE, 1, _MOST_BYTES),
                arrow_limit=max(memory // MEMORY_SHARE, 1),
                row_limit=_MOST_ROWS,
            ),
            dictionaries=Dictionaries(dictionary_columns),
        )


def _check_units(schema: pa.Schema, unit: str) -> None:
    for path, kind in leaf_columns(schema):
        if pa.types.is_timestamp(kind) and kind.unit != unit:
            raise ProtocolViolation(f"column {path} arrives in {kind.unit}, but 'parquet.timestamp.time.unit' asks for {unit}")


def _dictionary_columns(format_options: Mapping[str, str], schema: pa.Schema) -> tuple[str, ...]:
    default = boolean(format_options, "parquet.enable.dictionary", default=True)
    leaves = list(leaf_columns(schema))
    paths = {path for path, _ in leaves}
    for key, value in format_options.items():
        if key.startswith(_COLUMN_DICTIONARY) and key.removeprefix(_COLUMN_DICTIONARY) not in paths:
            raise refusal(key, value, "a column's path after '#', one of " + ", ".join(sorted(paths)))
    fixed = {path for path, kind in leaves if pa.types.is_decimal(kind)}
    return tuple(path for path in sorted(paths - fixed) if boolean(format_options, _COLUMN_DICTIONARY + path, default=default))
