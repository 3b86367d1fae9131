"""Every SQL type that Flink's Parquet writer takes, as columns with the literals of three rows; None is NULL."""

Columns = dict[str, tuple[str, str, "str | None", "str | None"]]
"""Type and three literals by name. No literal of the first row is NULL."""

TYPED: Columns = {
    "id": ("BIGINT NOT NULL", "1", "2", "3"),
    "bo": ("BOOLEAN", "TRUE", "FALSE", None),
    "ti": ("TINYINT", "-128", "127", None),
    "si": ("SMALLINT", "-32768", "32767", None),
    "i": ("INT", "-2147483648", "2147483647", None),
    "l": ("BIGINT", "-9223372036854775808", "9223372036854775807", None),
    "f": ("FLOAT", "1.5", "-3.4E38", None),
    "d": ("DOUBLE", "0.1", "1.7E308", None),
    "d1": ("DECIMAL(1, 0)", "-9", "9", None),
    "d9": ("DECIMAL(9, 2)", "1234567.89", "-0.01", None),
    "d18": ("DECIMAL(18, 4)", "-12345678901234.5678", "0.0001", None),
    "d38": ("DECIMAL(38, 10)", "'1234567890123456789012345678.0123456789'", "-1", None),
    "c": ("CHAR(5)", "'abcde'", "'ü'", None),
    "v": ("VARCHAR(10)", "'€ uro'", "''", None),
    "s": ("STRING", "'line one'", "'\U0001f426'", None),
    "bi": ("BINARY(3)", "X'00FF7F'", "X'010203'", None),
    "vb": ("VARBINARY(10)", "X'00'", "X''", None),
    "by": ("BYTES", "X'DEADBEEF'", "X'00010203040506070809'", None),
    "da": ("DATE", "DATE '2013-01-01'", "DATE '1969-12-31'", None),
    "tm": ("TIME(0)", "TIME '00:00:01'", "TIME '23:59:59'", None),
    "t0": ("TIMESTAMP(0)", "TIMESTAMP '2013-01-01 23:59:59'", "TIMESTAMP '1970-01-01 00:00:00'", None),
    "t3": ("TIMESTAMP(3)", "TIMESTAMP '2013-01-01 00:00:00.123'", "TIMESTAMP '2106-02-07 06:28:16.999'", None),
    "t6": ("TIMESTAMP(6)", "TIMESTAMP '2013-01-01 00:00:00.123456'", "TIMESTAMP '2106-02-07 06:28:16.999999'", None),
    "t9": ("TIMESTAMP(9)", "TIMESTAMP '2013-01-01 00:00:00.123456789'", "TIMESTAMP '2106-02-07 06:28:16.999999999'", None),
    "z3": ("TIMESTAMP_LTZ(3)", "TO_TIMESTAMP_LTZ(1356998400123, 3)", "TO_TIMESTAMP_LTZ(0, 3)", None),
    "z6": ("TIMESTAMP_LTZ(6)", "TIMESTAMP '2013-07-01 00:00:00.123456'", "TIMESTAMP '2106-02-07 06:28:16.999999'", None),
    "z9": ("TIMESTAMP_LTZ(9)", "TIMESTAMP '2013-07-01 00:00:00.123456789'", "TIMESTAMP '1970-01-01 00:00:00'", None),
    "ar": ("ARRAY<INT>", "ARRAY[1, CAST(NULL AS INT), 3]", "ARRAY[7]", None),
    "as_": ("ARRAY<STRING>", "ARRAY['a', CAST(NULL AS STRING)]", "ARRAY['b']", None),
    "m": ("MAP<STRING, INT>", "MAP['a', 1, 'b', CAST(NULL AS INT)]", "MAP['c', 3]", None),
    "r": ("ROW<x INT, y STRING>", "ROW(1, CAST(NULL AS STRING))", "ROW(CAST(NULL AS INT), 'y')", None),
    "n": (
        "ARRAY<ROW<x INT, y MAP<STRING, ARRAY<INT>>>>",
        "ARRAY[ROW(1, MAP['a', ARRAY[1, CAST(NULL AS INT)]]), ROW(CAST(NULL AS INT), MAP['b', ARRAY[2]])]",
        "ARRAY[ROW(2, MAP['c', ARRAY[3]])]",
        None,
    ),
}
"""Every type once."""


def decimals() -> Columns:
    """Each precision with half of its digits as scale: its largest number, its smallest, none."""
    columns: Columns = {}
    for precision in range(1, 39):
        scale = precision // 2
        digits = "9" * (precision - scale) + ("." + "9" * scale if scale else "")
        columns[f"p{precision}"] = (f"DECIMAL({precision}, {scale})", f"'{digits}'", f"'-{digits}'", None)
    return columns


NESTED: Columns = {
    "aa": ("ARRAY<ARRAY<INT>>", "ARRAY[ARRAY[1, CAST(NULL AS INT)], CAST(NULL AS ARRAY<INT>)]", "ARRAY[ARRAY[2]]", None),
    "ao": ("ARRAY<ROW<x INT>>", "ARRAY[ROW(1), CAST(NULL AS ROW<x INT>)]", "ARRAY[ROW(CAST(NULL AS INT))]", None),
    "ma": (
        "MAP<STRING, ARRAY<INT>>",
        "MAP['a', ARRAY[1], 'b', CAST(NULL AS ARRAY<INT>)]",
        "MAP['c', ARRAY[CAST(NULL AS INT)]]",
        None,
    ),
    "mo": (
        "MAP<INT, ROW<x DECIMAL(5, 2)>>",
        "MAP[1, ROW(1.25), 2, CAST(NULL AS ROW<x DECIMAL(5, 2)>)]",
        "MAP[3, ROW(0.01)]",
        None,
    ),
    "oo": (
        "ROW<x ROW<y INT, z STRING>, w INT>",
        "ROW(ROW(1, CAST(NULL AS STRING)), CAST(NULL AS INT))",
        "ROW(CAST(NULL AS ROW<y INT, z STRING>), 2)",
        None,
    ),
    "oa": ("ROW<x ARRAY<STRING>>", "ROW(ARRAY['a', CAST(NULL AS STRING)])", "ROW(CAST(NULL AS ARRAY<STRING>))", None),
}
"""NULL at each level: the value, an element, a field, a field of an element."""

TABLES: dict[str, tuple[Columns, dict[str, str]]] = {
    "int96": (TYPED, {}),
    "int96-utc": (TYPED, {"parquet.utc-timezone": "true"}),
    "millis": (TYPED, {"parquet.write.int64.timestamp": "true", "parquet.timestamp.time.unit": "millis"}),
    "micros": (TYPED, {"parquet.write.int64.timestamp": "true", "parquet.timestamp.time.unit": "micros"}),
    "nanos": (TYPED, {"parquet.write.int64.timestamp": "true", "parquet.timestamp.time.unit": "nanos"}),
    "decimals-nested": ({"id": TYPED["id"], **decimals(), **NESTED}, {}),
}
"""Columns and options by name; the first five differ in how timestamps are stored."""


def ddl(columns: Columns) -> str:
    """The columns of a CREATE TABLE."""
    return ", ".join(f"`{name}` {kind}" for name, (kind, *_) in columns.items())


def rows(columns: Columns) -> str:
    """The three rows as a query."""
    return " UNION ALL ".join(_row(columns, number) for number in range(3))


def _row(columns: Columns, number: int) -> str:
    values = []
    for name, (kind, *literals) in columns.items():
        literal = literals[number]
        values.append(f"CAST({'NULL' if literal is None else literal} AS {kind.removesuffix(' NOT NULL')}) AS `{name}`")
    return "SELECT " + ", ".join(values)
