"""Two readers that share no code get back what was put in."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pytest

from tests.unit.encode.rows import encode, every_type, opened

if TYPE_CHECKING:
    from pathlib import Path

INT64 = {"parquet.write.int64.timestamp": "true"}
TIMES = {
    "int96-ms": ({}, "ms"),
    "int96-us": ({}, "us"),
    "int96-ns": ({}, "ns"),
    "int64-millis": (INT64 | {"parquet.timestamp.time.unit": "millis"}, "ms"),
    "int64-micros": (INT64 | {"parquet.timestamp.time.unit": "MICROS"}, "us"),
    "int64-nanos": (INT64 | {"parquet.timestamp.time.unit": "nanos"}, "ns"),
}
CODECS = ["UNCOMPRESSED", "none", "SNAPPY", "Gzip", "zstd", "BROTLI", "LZ4_RAW"]


def as_written(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """INT96 comes back as nanoseconds: the same instants in another unit."""
    return table.cast(schema)


@pytest.mark.parametrize("version", ["PARQUET_1_0", "PARQUET_2_0"])
@pytest.mark.parametrize("dictionary", ["true", "false"])
@pytest.mark.parametrize("times", TIMES)
def test_pyarrow_reads_every_type_and_null_back(times: str, dictionary: str, version: str) -> None:
    """Values, nulls at each level and field nullability survive, whatever the encoding."""
    options, unit = TIMES[times]
    batch = every_type(unit, nanos=unit == "ns")

    data = encode(
        [batch.slice(0, 2), batch.slice(2)],
        options | {"parquet.enable.dictionary": dictionary, "parquet.writer.version": version},
    )

    table = as_written(opened(data).read(), batch.schema)
    table.validate(full=True)
    assert table.equals(pa.Table.from_batches([batch])), "the same values in the same order"
    assert table.schema.equals(batch.schema), "nullability is kept at all levels"


@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_is_read_back(codec: str) -> None:
    """Codec names are taken in any case, and the footer names the codec that was asked for."""
    batch = every_type("us")

    data = encode([batch], {"parquet.compression": codec})

    file = opened(data)
    assert as_written(file.read(), batch.schema).equals(pa.Table.from_batches([batch])), "values survive the codec"
    expected = {"NONE": "UNCOMPRESSED", "LZ4_RAW": "LZ4"}.get(codec.upper(), codec.upper())
    assert file.metadata.row_group(0).column(0).compression == expected, "the codec asked for"


@pytest.mark.parametrize("dictionary", ["true", "false"])
@pytest.mark.parametrize("times", TIMES)
def test_duckdb_reads_the_same(times: str, dictionary: str, tmp_path: Path) -> None:
    """A reader with nothing of Arrow in it sees the same rows."""
    options, unit = TIMES[times]
    batch = every_type(unit)
    path = tmp_path / "file.parquet"

    path.write_bytes(encode([batch], options | {"parquet.enable.dictionary": dictionary}))

    with duckdb.connect() as connection:
        got = connection.execute(f"SELECT * FROM read_parquet('{path}')").fetchall()
    expected = batch.to_pylist()
    for row, want in zip(got, expected, strict=True):
        for field, value, wanted in zip(batch.schema, row, want.values(), strict=True):
            a_map = pa.types.is_map(field.type) and wanted is not None
            assert plain(value) == plain(dict(wanted) if a_map else wanted), f"column {field.name}"


def plain(value: object) -> object:
    """Python's own types for pandas' timestamps, and TIME without the zone that TIME_MILLIS, in Flink's files too, implies."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dt.time):
        return value.replace(tzinfo=None)
    return value.to_pydatetime() if hasattr(value, "to_pydatetime") else value


def test_a_file_without_rows_is_a_file() -> None:
    """Readers open it and find the columns."""
    batch = every_type("us").slice(0, 0)

    data = encode([batch])

    assert opened(data).metadata.num_rows == 0, "no rows"
    assert opened(data).schema_arrow.names == batch.schema.names, "all columns"
