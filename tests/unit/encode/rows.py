"""Tables with every type that the shim sends, nulls at every level, and a way to encode them."""

from __future__ import annotations

import datetime as dt
import decimal
import io
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from partition_bridge.encode.parquet import ParquetEncoder, ParquetOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MEMORY = 4 * 1024**3


def encode(batches: Sequence[pa.RecordBatch], options: Mapping[str, str] | None = None, memory: int = MEMORY) -> bytes:
    """The bytes of one file with these batches."""
    parsed = ParquetOptions.parse(options or {}, batches[0].schema, memory)
    chunks: list[bytes | pa.Buffer] = []
    encoder = ParquetEncoder(batches[0].schema, parsed, chunks.append)
    for batch in batches:
        encoder.append(batch)
    encoder.finish()
    data = b"".join(bytes(chunk) for chunk in chunks)
    assert encoder.encoded_bytes == len(data), "the encoder counts what it emits"
    assert encoder.rows == sum(batch.num_rows for batch in batches), "the encoder counts rows"
    return data


def opened(data: bytes) -> pq.ParquetFile:
    """The file as pyarrow sees it."""
    return pq.ParquetFile(io.BytesIO(data))


def leaves(data: bytes) -> dict[str, pq.ColumnSchema]:
    """The footer's leaf columns by path."""
    schema = opened(data).schema
    return {schema.column(i).path: schema.column(i) for i in range(len(schema.names))}


def not_null(name: str, kind: pa.DataType) -> pa.Field:
    """A REQUIRED field."""
    return pa.field(name, kind, nullable=False)


def every_type(unit: str = "us", *, nanos: bool = False) -> pa.RecordBatch:
    """Five rows: values, nulls in turn at each level, empty collections, extremes, times before 1970."""
    times = ["2013-01-01 05:06:07.089", None, "1969-12-31 23:59:59.123", "1900-01-01", "2200-01-01"]
    stamps = pa.array(times).cast(pa.timestamp("ms")).cast(pa.timestamp(unit))
    if nanos:
        stamps = pa.array([None if v is None else v + 7 for v in stamps.cast(pa.int64()).to_pylist()]).cast(stamps.type)
    amount = decimal.Decimal
    row = pa.struct([pa.field("n", pa.int32()), not_null("k", pa.string()), pa.field("d", pa.decimal128(10, 2))])
    columns: list[tuple[pa.Field, pa.Array]] = []

    def add(name: str, kind: pa.DataType, values: Sequence[object], nullable: bool = True) -> None:
        columns.append((pa.field(name, kind, nullable=nullable), pa.array(values, kind)))

    add("flag", pa.bool_(), [True, None, False, True, False])
    add("tiny", pa.int8(), [1, None, -128, 127, 0])
    add("small", pa.int16(), [1, None, -32768, 32767, 0])
    add("int", pa.int32(), [1, None, -(2**31), 2**31 - 1, 0])
    add("big", pa.int64(), [1, None, -(2**63), 2**63 - 1, 0])
    add("id", pa.int64(), [1, 2, 3, 4, 5], nullable=False)
    add("real", pa.float32(), [1.5, None, -0.0, float("inf"), 3.25])
    add("double", pa.float64(), [1.5, None, -0.0, float("-inf"), 1e300])
    add("price", pa.decimal128(9, 2), [amount("1.50"), None, amount("-9999999.99"), amount("0.00"), amount("7.01")])
    add("huge", pa.decimal128(38, 10), [amount("1.5"), None, amount(-(10**27)), amount("0"), amount("7.01")])
    add("text", pa.string(), ["a", None, "", "ünï → 鯨", "a"])
    add("blob", pa.binary(), [b"a", None, b"", b"\x00\xff", b"a"])
    add("day", pa.date32(), [dt.date(2013, 1, 1), None, dt.date(1969, 12, 31), dt.date(1900, 1, 1), dt.date(9999, 12, 31)])
    add("clock", pa.time32("ms"), [dt.time(1, 2, 3, 4000), None, dt.time(0), dt.time(23, 59, 59, 999000), dt.time(12)])
    columns.append((pa.field("at", stamps.type), stamps))
    add("tags", pa.list_(pa.field("element", pa.string())), [["a", None], None, [], ["b"], [None]])
    add("marks", pa.list_(not_null("element", pa.int32())), [[1, 2], [], [3], [4], []], nullable=False)
    add("sums", pa.list_(pa.field("element", pa.decimal128(18, 3))), [[amount("1.5"), None], None, [], [], [None]])
    add("counts", pa.map_(pa.string(), pa.int64()), [[("a", 1), ("b", None)], None, [], [("c", 3)], []])
    add("costs", pa.map_(pa.decimal128(5, 1), pa.decimal128(20, 0)), [[(amount("1.5"), amount(2))], None, [], [], []])
    add("bag", pa.map_(pa.string(), not_null("value", pa.int32())), [[("a", 2)], None, [], [("c", 3)], []])
    add("row", row, [{"n": 1, "k": "x", "d": amount("1.25")}, None, {"n": None, "k": "y", "d": None},
                     {"n": 3, "k": "", "d": amount(-1)}, {"n": 4, "k": "x", "d": amount(0)}])  # fmt: skip
    add("rows", pa.list_(pa.field("element", row)), [[{"n": 1, "k": "x", "d": None}, None], None, [], [], [None]])
    add("when", pa.list_(pa.field("element", stamps.type)), [[v] for v in stamps.to_pylist()] if not nanos else [[]] * 5)
    return pa.RecordBatch.from_arrays([a for _, a in columns], schema=pa.schema([f for f, _ in columns]))
