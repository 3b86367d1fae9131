"""Every SQL type that Flink's Parquet writer takes, written by both sinks in one job and read by three readers: equal values."""

import io
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.integration.faults import FaultPoints
from tests.integration.lake import BRIDGE, BUCKET, STOCK, Lake, Table
from tests.support.flink import FlinkCluster
from tests.support.servers import S3Server

FLAT = {
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
"""Type and the literals of three rows; None is NULL."""

SETTINGS = {
    "int96": {},
    "int96-utc": {"parquet.utc-timezone": "true"},
    "millis": {"parquet.write.int64.timestamp": "true", "parquet.timestamp.time.unit": "millis"},
    "micros": {"parquet.write.int64.timestamp": "true", "parquet.timestamp.time.unit": "micros"},
    "nanos": {"parquet.write.int64.timestamp": "true", "parquet.timestamp.time.unit": "nanos"},
}
CASES = [(timestamps, dictionary) for timestamps in SETTINGS for dictionary in ("true", "false")]
COLUMNS = ", ".join(f"`{name}` {kind}" for name, (kind, *_) in FLAT.items())


def one_row(number: int) -> str:
    """A SELECT of one of the three rows."""
    values = []
    for name, (kind, *literals) in FLAT.items():
        literal = literals[number]
        values.append(f"CAST({'NULL' if literal is None else literal} AS {kind.removesuffix(' NOT NULL')}) AS `{name}`")
    return "SELECT " + ", ".join(values)


@pytest.fixture(scope="module")
def written(cluster: FlinkCluster, server: S3Server, policies: str, fault_folder: Path) -> dict[tuple[str, str, str], Table]:
    """Three rows by one job into a table for each sink, timestamp setting and dictionary setting."""
    tables = {}
    for timestamps, dictionary in CASES:
        for connector in (BRIDGE, STOCK):
            # Flink's reader can't read DECIMAL(p <= 18) with a dictionary, which its own sink writes: the control has none.
            options = {**SETTINGS[timestamps], "parquet.enable.dictionary": dictionary if connector == BRIDGE else "false"}
            name = f"types-{timestamps}-{dictionary}-{connector}"
            tables[timestamps, dictionary, connector] = Table(server, name, COLUMNS, "", connector, options)
    rows = " UNION ALL ".join(one_row(number) for number in range(3))
    sinks = [f"CREATE TEMPORARY VIEW typed AS {rows};\n"]
    sinks += [table.ddl.replace("TABLE sink", f"TABLE sink{number}") for number, table in enumerate(tables.values())]
    inserts = " ".join(f"INSERT INTO sink{number} SELECT * FROM typed;" for number in range(len(tables)))
    with Lake(cluster, server, policies, FaultPoints(fault_folder)) as lake:
        lake.insert("".join(sinks), f"EXECUTE STATEMENT SET BEGIN {inserts} END", {"parallelism.default": "1"}).finishes()
    return tables


def files(table: Table) -> Iterator[bytes]:
    """Contents of the visible data files."""
    client = table.server.client()
    for each in table.listing().data:
        yield client.get_object(Bucket=BUCKET, Key=each.key)["Body"].read()


@pytest.mark.parametrize(("timestamps", "dictionary"), CASES)
def test_pyarrow_and_duckdb_read_the_same(
    written: dict[tuple[str, str, str], Table], tmp_path: Path, timestamps: str, dictionary: str
) -> None:
    """Both readers find in the bridge's file what they find in Flink's."""
    by_pyarrow, by_duckdb = {}, {}
    # Flink annotates TIME as adjusted to UTC, pyarrow as not (parity): the same time of day, of two types in DuckDB.
    query = "SELECT * REPLACE (CAST(tm AS TIME) AS tm) FROM '{}' ORDER BY id"
    for connector in (BRIDGE, STOCK):
        (folder := tmp_path / connector).mkdir()
        for number, content in enumerate(files(written[timestamps, dictionary, connector])):
            (folder / f"{number}.parquet").write_bytes(content)
        parts = [pq.read_table(io.BytesIO(each)) for each in files(written[timestamps, dictionary, connector])]
        by_pyarrow[connector] = pa.concat_tables(parts).sort_by("id").to_pydict()
        by_duckdb[connector] = duckdb.execute(query.format(f"{folder}/*.parquet")).fetchall()
    assert by_pyarrow[STOCK] == by_pyarrow[BRIDGE], "pyarrow"
    assert by_duckdb[STOCK] == by_duckdb[BRIDGE], "DuckDB"
    assert len(by_duckdb[BRIDGE]) == 3, "the three rows"


@pytest.mark.parametrize(("timestamps", "dictionary"), CASES)
def test_flink_reads_the_same(written: dict[tuple[str, str, str], Table], lake: Lake, timestamps: str, dictionary: str) -> None:
    """Flink's own reader reads from the bridge's file what it reads from Flink's."""
    read = {}
    for connector in (BRIDGE, STOCK):
        table = written[timestamps, dictionary, connector]
        read[connector] = lake.select(table.ddl, "SELECT * FROM sink")
    assert sorted(map(str, read[STOCK])) == sorted(map(str, read[BRIDGE])), "Flink"
    assert len(read[BRIDGE]) == 3, "the three rows"


def test_multiset(lake: Lake) -> None:
    """A MULTISET, which only an aggregate makes, is a map to counts."""
    source = """
CREATE TEMPORARY TABLE numbers (id BIGINT, ts AS CAST(TO_TIMESTAMP_LTZ(id * 1000, 3) AS TIMESTAMP(3)), WATERMARK FOR ts AS ts)
WITH ('connector' = 'datagen', 'fields.id.kind' = 'sequence', 'fields.id.start' = '0', 'fields.id.end' = '59');
"""
    table = Table(lake.server, "multiset", "w TIMESTAMP(3), words MULTISET<STRING>", "")
    query = """INSERT INTO sink SELECT window_start, COLLECT(CAST(MOD(id, 2) AS STRING))
FROM TABLE(TUMBLE(TABLE numbers, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end"""
    lake.insert(source + table.ddl, query, {"parallelism.default": "1"}).finishes()
    (content,) = files(table)
    (words,) = pq.read_table(io.BytesIO(content))["words"].to_pylist()
    assert dict(words) == {"0": 30, "1": 30}, "each word with its count"
