"""What the footer says, against what Flink's ParquetSchemaConverter and parquet-mr write."""

from __future__ import annotations

import decimal

import pyarrow as pa
import pytest

from tests.unit.encode.rows import encode, every_type, leaves, not_null, opened

# path → physical type, logical type, most definitions and repetitions (a REQUIRED level defines nothing)
LAYOUT = {
    "flag": ("BOOLEAN", "NONE", 1, 0),
    "tiny": ("INT32", "INT_8", 1, 0),
    "small": ("INT32", "INT_16", 1, 0),
    "int": ("INT32", "NONE", 1, 0),
    "big": ("INT64", "NONE", 1, 0),
    "id": ("INT64", "NONE", 0, 0),
    "real": ("FLOAT", "NONE", 1, 0),
    "double": ("DOUBLE", "NONE", 1, 0),
    "price": ("FIXED_LEN_BYTE_ARRAY", "DECIMAL", 1, 0),
    "huge": ("FIXED_LEN_BYTE_ARRAY", "DECIMAL", 1, 0),
    "text": ("BYTE_ARRAY", "UTF8", 1, 0),
    "blob": ("BYTE_ARRAY", "NONE", 1, 0),
    "day": ("INT32", "DATE", 1, 0),
    "clock": ("INT32", "TIME_MILLIS", 1, 0),
    "at": ("INT96", "NONE", 1, 0),
    "tags.list.element": ("BYTE_ARRAY", "UTF8", 3, 1),
    "marks.list.element": ("INT32", "NONE", 1, 1),
    "sums.list.element": ("FIXED_LEN_BYTE_ARRAY", "DECIMAL", 3, 1),
    "counts.key_value.key": ("BYTE_ARRAY", "UTF8", 2, 1),
    "counts.key_value.value": ("INT64", "NONE", 3, 1),
    "costs.key_value.key": ("FIXED_LEN_BYTE_ARRAY", "DECIMAL", 2, 1),
    "costs.key_value.value": ("FIXED_LEN_BYTE_ARRAY", "DECIMAL", 3, 1),
    "bag.key_value.key": ("BYTE_ARRAY", "UTF8", 2, 1),
    "bag.key_value.value": ("INT32", "NONE", 2, 1),
    "row.n": ("INT32", "NONE", 2, 0),
    "row.k": ("BYTE_ARRAY", "UTF8", 1, 0),
    "row.d": ("FIXED_LEN_BYTE_ARRAY", "DECIMAL", 2, 0),
    "rows.list.element.n": ("INT32", "NONE", 4, 1),
    "rows.list.element.k": ("BYTE_ARRAY", "UTF8", 3, 1),
    "rows.list.element.d": ("FIXED_LEN_BYTE_ARRAY", "DECIMAL", 4, 1),
    "when.list.element": ("INT96", "NONE", 3, 1),
}


def test_every_column_has_flinks_physical_and_converted_type() -> None:
    """Names, types and levels are those of Flink's files, so both kinds mix under one table."""
    columns = leaves(encode([every_type("us")]))

    seen = {
        path: (c.physical_type, c.converted_type or "NONE", c.max_definition_level, c.max_repetition_level)
        for path, c in columns.items()
    }

    assert seen == LAYOUT, "the layout of ParquetSchemaConverter"


@pytest.mark.parametrize(("option", "unit", "name"), [
    ("millis", "ms", "milliseconds"), ("micros", "us", "microseconds"), ("nanos", "ns", "nanoseconds"),
])  # fmt: skip
def test_int64_timestamps_keep_their_unit_and_no_zone(option: str, unit: str, name: str) -> None:
    """With write.int64.timestamp a timestamp is INT64, not adjusted to UTC, in the unit asked for."""
    options = {"parquet.write.int64.timestamp": "true", "parquet.timestamp.time.unit": option}

    column = leaves(encode([every_type(unit)], options))["at"]

    assert column.physical_type == "INT64", "no INT96"
    assert f"isAdjustedToUTC=false, timeUnit={name}" in str(column.logical_type), "local time in the unit asked for"


@pytest.mark.parametrize("precision", range(1, 39))
def test_decimals_have_the_least_fixed_length_and_no_dictionary(precision: int) -> None:
    """Flink computes the length like this, and its reader can't read a dictionary of fixed-length values."""
    kind = pa.decimal128(precision, min(2, precision))
    values = [decimal.Decimal(7).scaleb(-min(2, precision)), None] * 1000
    batch = pa.record_batch({"d": pa.array(values, kind), "l": pa.array([[v] for v in values], pa.list_(kind))})
    least = next(n for n in range(1, 17) if 2 ** (8 * n - 1) >= 10**precision)

    data = encode([batch], {"parquet.enable.dictionary": "true"})

    for path in ("d", "l.list.element"):
        assert leaves(data)[path].length == least, "minimal length"
    group = opened(data).metadata.row_group(0)
    for i in range(group.num_columns):
        assert not any("DICTIONARY" in e for e in group.column(i).encodings), "no dictionary, at any level"


def test_dictionaries_are_kept_where_they_pay_as_parquet_mr_does() -> None:
    """Repeated values have one; unique ones, decimals and columns switched off have none."""
    n = 50_000
    batch = pa.record_batch({
        "few": pa.array([f"city-{i % 100}" for i in range(n)]),
        "off": pa.array([f"city-{i % 100}" for i in range(n)]),
        "unique": pa.array(range(n)),
        "words": pa.array([f"word {i}" for i in range(n)]),
    })  # fmt: skip

    data = encode([batch], {"parquet.enable.dictionary#off": "false"})

    group = opened(data).metadata.row_group(0)
    has = {group.column(i).path_in_schema: group.column(i).has_dictionary_page for i in range(group.num_columns)}
    assert has == {"few": True, "off": False, "unique": False, "words": False}, "only where it makes the page smaller"
    assert "PLAIN_DICTIONARY" in group.column(0).encodings, "the encoding that parquet-mr's version 1 names"


def test_a_column_can_have_a_dictionary_though_the_table_has_none() -> None:
    """The key with a column's path wins over the key without."""
    batch = pa.record_batch({"a": pa.array(["x"] * 10), "b": pa.array(["x"] * 10)})

    data = encode([batch], {"parquet.enable.dictionary": "false", "parquet.enable.dictionary#b": "TRUE"})

    group = opened(data).metadata.row_group(0)
    assert [group.column(i).has_dictionary_page for i in range(2)] == [False, True], "only b's"


def test_a_decimal_whose_path_equals_anothers_still_has_no_dictionary() -> None:
    """Parquet's properties go by dotted path, so a dot in a name must not let a decimal through."""
    row = pa.struct([pa.field("b", pa.decimal128(9, 2))])
    batch = pa.record_batch({
        "a.b": pa.array(["x"] * 10),
        "a": pa.array([{"b": decimal.Decimal("1.50")}] * 10, row),
    })  # fmt: skip

    group = opened(encode([batch])).metadata.row_group(0)

    assert not any(group.column(i).has_dictionary_page for i in range(2)), "both go without"


def test_the_footer_holds_no_arrow_schema_and_no_metadata_of_the_sender() -> None:
    """Flink's files hold neither; a Java schema's field metadata must not turn into Parquet field ids."""
    field = pa.field("a", pa.int32(), metadata={b"PARQUET:field_id": b"7", b"x": b"y"})
    batch = pa.record_batch([pa.array([1])], schema=pa.schema([field], metadata={b"k": b"v"}))

    file = opened(encode([batch]))

    assert file.metadata.metadata is None, "no key-value metadata"
    assert "field_id=7" not in str(file.schema), "no field ids"


def test_statistics_and_page_index_are_written() -> None:
    """parquet-mr writes both; engines prune by them."""
    group = opened(encode([every_type("us")])).metadata.row_group(0)

    column = next(group.column(i) for i in range(group.num_columns) if group.column(i).path_in_schema == "int")
    assert (column.statistics.min, column.statistics.max, column.statistics.null_count) == (-(2**31), 2**31 - 1, 1)
    assert column.has_column_index, "pages can be pruned"
    assert column.has_offset_index, "and found"


def test_nullability_at_the_key_of_a_map_is_required() -> None:
    """Parquet has no null keys: Flink forces REQUIRED, and so does Arrow."""
    batch = pa.record_batch(
        [pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int32()))],
        schema=pa.schema([not_null("m", pa.map_(pa.string(), pa.int32()))]),
    )

    assert leaves(encode([batch]))["m.key_value.key"].max_definition_level == 1, "the repeated group alone defines"
