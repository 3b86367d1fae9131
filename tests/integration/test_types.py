"""Every SQL type that Flink's Parquet writer takes, written by both sinks and read by four readers: equal values."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.integration.faults import FaultPoints
from tests.integration.lake import BRIDGE, BUCKET, STOCK, Lake, Table
from tests.integration.sql_types import TABLES, ddl, rows
from tests.support.flink import FlinkCluster
from tests.support.servers import S3Server
from tests.support.spark import spark_session

Written = dict[tuple[str, str, str], Table]
Copies = dict[tuple[str, str, str], Path]
CASES = pytest.mark.parametrize(
    ("name", "dictionary"), [(name, dictionary) for name in TABLES for dictionary in ("true", "false")]
)

NO_SUCH_TYPE = {
    # Spark has no time of day: a table with a TIME can't be read without a schema that makes it an INT of milliseconds.
    "TIME": ("micros", None, "Illegal Parquet type: INT32 (TIME(MILLIS,true))"),
    # Spark's timestamps have microseconds: with a schema that makes it one, a nanosecond column is a BIGINT.
    "nanoseconds": ("nanos", "t9 TIMESTAMP_NTZ", "Parquet column cannot be converted"),
}
"""What Spark reads of neither sink: table, schema that asks for it, message."""


@pytest.fixture(scope="module")
def written(cluster: FlinkCluster, server: S3Server, policies: str, fault_folder: Path) -> Written:
    """Three rows by one job a set of columns, into a table of the bridge's for each dictionary setting and one of Flink's."""
    tables: Written = {}
    settings = {"parallelism.default": "1", "restart-strategy.type": "none"}
    with Lake(cluster, server, policies, FaultPoints(fault_folder)) as lake:
        for name, (columns, options) in TABLES.items():
            statements, inserts = [f"CREATE TEMPORARY VIEW typed AS {rows(columns)};\n"], list[str]()
            # Flink's reader can't read DECIMAL(p <= 18) with a dictionary, which its own sink writes: the control has none.
            for connector, dictionary, compared in (
                (BRIDGE, "true", ["true"]),
                (BRIDGE, "false", ["false"]),
                (STOCK, "false", ["true", "false"]),
            ):
                given = {**options, "parquet.enable.dictionary": dictionary}
                table = Table(server, f"types-{name}-{dictionary}-{connector}", ddl(columns), "", connector, given)
                number = len(inserts)
                statements.append(table.ddl.replace("TABLE sink", f"TABLE sink{number}"))
                inserts.append(f" INSERT INTO sink{number} SELECT * FROM typed;")
                tables.update({(name, each, connector): table for each in compared})
            # One after the other: the cluster has fewer slots than there are jobs.
            job = lake.insert("".join(statements), f"EXECUTE STATEMENT SET BEGIN{''.join(inserts)} END", settings)
            job.finishes(timeout=300)
    return tables


@pytest.fixture(scope="module")
def copies(written: Written, tmp_path_factory: pytest.TempPathFactory) -> Copies:
    """The objects of each table as local files."""
    folders = {}
    for case, table in written.items():
        folders[case] = tmp_path_factory.mktemp("types")
        for number, content in enumerate(files(table)):
            (folders[case] / f"{number}.parquet").write_bytes(content)
    return folders


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Spark for all reads."""
    with spark_session(tmp_path_factory.mktemp("spark")) as session:
        yield session


def files(table: Table) -> Iterator[bytes]:
    """Contents of the visible data files."""
    client = table.server.client()
    for each in table.listing().data:
        yield client.get_object(Bucket=BUCKET, Key=each.key)["Body"].read()


@CASES
def test_pyarrow_and_duckdb_read_the_same(copies: Copies, name: str, dictionary: str) -> None:
    """Both readers find in the bridge's file what they find in Flink's."""
    by_pyarrow, by_duckdb = {}, {}
    for connector in (BRIDGE, STOCK):
        folder = copies[name, dictionary, connector]
        parts = [pq.read_table(each) for each in folder.iterdir()]
        by_pyarrow[connector] = pa.concat_tables(parts).sort_by("id").to_pydict()
        by_duckdb[connector] = duckdb.execute(f"SELECT * FROM '{folder}/*.parquet' ORDER BY id").fetchall()
    assert by_pyarrow[STOCK] == by_pyarrow[BRIDGE], "pyarrow"
    assert by_duckdb[STOCK] == by_duckdb[BRIDGE], "DuckDB"
    assert len(by_duckdb[BRIDGE]) == 3, "the three rows"


@CASES
def test_flink_reads_the_same(written: Written, lake: Lake, name: str, dictionary: str) -> None:
    """Flink's own reader reads from the bridge's file what it reads from Flink's."""
    tables = "".join(
        written[name, dictionary, connector].ddl.replace("TABLE sink", f"TABLE {of}")
        for of, connector in (("ours", BRIDGE), ("flinks", STOCK))
    )
    # As text: the gateway can't put every nested type into its JSON.
    texts = ", ".join(f"CAST(`{column}` AS STRING)" for column in TABLES[name][0])
    read = lake.select(tables, f"SELECT 'ours', {texts} FROM ours UNION ALL SELECT 'flinks', {texts} FROM flinks")
    ours, flinks = (sorted(str(row[1:]) for row in read if row[0].strip() == of) for of in ("ours", "flinks"))
    assert flinks == ours, "Flink"
    assert len(ours) == 3, "the three rows"


@CASES
def test_spark_reads_the_same(copies: Copies, spark: Any, name: str, dictionary: str) -> None:
    """Spark reads from the bridge's file what it reads from Flink's: of the same types, and with each value that its row has."""
    read, types = {}, {}
    for connector in (BRIDGE, STOCK):
        reader = spark.read
        if "tm" in TABLES[name][0]:
            reader = reader.schema(spark_schema(name))
        frame = reader.parquet(str(copies[name, dictionary, connector]))
        types[connector] = frame.dtypes
        read[connector] = sorted((row.asDict(recursive=True) for row in frame.collect()), key=lambda row: int(row["id"]))
    assert types[STOCK] == types[BRIDGE], "the types that Spark takes the columns for"
    assert [kind for _, kind in types[BRIDGE]] == [kind for _, kind in spark_types(spark, name)], "are those of the table"
    assert read[STOCK] == read[BRIDGE], "Spark"
    assert [row["id"] for row in read[BRIDGE]] == [1, 2, 3], "the three rows"
    assert None not in read[BRIDGE][0].values(), "no column was passed over: the first row has no NULL"


@pytest.mark.parametrize("connector", [BRIDGE, STOCK])
@pytest.mark.parametrize("what", NO_SUCH_TYPE)
def test_what_spark_reads_of_neither_sink(copies: Copies, spark: Any, what: str, connector: str) -> None:
    """Spark refuses TIME without a schema, and nanoseconds as a timestamp, in Flink's file as in the bridge's."""
    name, schema, message = NO_SUCH_TYPE[what]
    reader = spark.read.schema(schema) if schema else spark.read
    with pytest.raises(Exception, match=re.escape(message)):
        reader.parquet(str(copies[name, "true", connector])).collect()


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
    (words,) = pq.read_table(pa.BufferReader(content))["words"].to_pylist()
    assert dict(words) == {"0": 30, "1": 30}, "each word with its count"


def spark_schema(name: str) -> str:
    """A table's columns in Spark's types, with what Spark has no type for as the number that the file holds."""
    stamp = {"int96": "TIMESTAMP", "int96-utc": "TIMESTAMP", "nanos": "BIGINT"}.get(name, "TIMESTAMP_NTZ")
    in_spark = {
        r" NOT NULL": "",
        r"\b(VAR)?CHAR\(\d+\)": "STRING",
        r"\b(VAR)?BINARY\(\d+\)|\bBYTES": "BINARY",
        r"\bTIME\(0\)": "INT",
        r"\bTIMESTAMP(_LTZ)?\(\d\)": stamp,
        r"\bROW<": "STRUCT<",
    }
    schema = ddl(TABLES[name][0])
    for flinks, sparks in in_spark.items():
        schema = re.sub(flinks, sparks, schema)
    return schema


def spark_types(spark: Any, name: str) -> list[tuple[str, str]]:
    """Column and type as Spark understands the table's columns."""
    return list(spark.createDataFrame([], spark_schema(name)).dtypes)
