"""Compressed text files (`sink.file.compression`) through a whole cluster: no row is lost with a writer, and Flink reads them back."""

import csv
import io
import itertools
from collections.abc import Iterable

import pyarrow as pa
import pytest

from partition_bridge.audit.rows import difference, plain
from tests.integration.jobs import Job
from tests.integration.lake import BRIDGE, BUCKET, STOCK, Lake, Table
from tests.integration.rows import Rows
from tests.support.rest import RestFailed

CASES = list(itertools.product(("csv", "json"), ("gzip", "zstd")))
EXTENSIONS = {"gzip": ".gz", "zstd": ".zst"}
Tables = dict[tuple[str, str], Table]


def tables_for(lake: Lake, rows: Rows, cases: Iterable[tuple[str, str]] = CASES) -> Tables:
    """A table for each of these formats and compressions, whose partitions aren't committed before the end of input: else their files would end."""
    return {
        (data, compression): lake.table(
            rows,
            {
                "format": data,
                "sink.file.compression": compression,
                "sink.file.suffix": f".{data}",
                "sink.partition-commit.delay": "1 h",
            },
        )
        for data, compression in cases
    }


def insert(lake: Lake, tables: Tables, rows: Rows, per_second: int, settings: dict[str, str]) -> Job:
    """One job that writes the same rows into all of them."""
    ddl = "".join(table.ddl.replace("TABLE sink", f"TABLE sink{number}") for number, table in enumerate(tables.values()))
    inserts = "".join(f"INSERT INTO sink{number} {rows.query};\n" for number in range(len(tables)))
    statement = f"EXECUTE STATEMENT SET BEGIN\n{inserts}END"
    bounded = f"'connector' = 'datagen', 'number-of-rows' = '{rows.count}'"
    source = rows.source(per_second).replace("'connector' = 'datagen'", bounded)
    return lake.insert(source + ddl, statement, {"parallelism.default": "1", **settings})


def audit(tables: Tables, rows: Rows) -> None:
    """Each row is there once, in whole files that are named for what they are, and each partition is announced."""
    for (data, compression), table in tables.items():
        table.remove_orphans()
        listing = table.listing()
        assert listing.data, f"{data} {compression}: there are files"
        for each in listing.data:
            assert each.key.endswith(f".{data}{EXTENSIONS[compression]}"), "readers know the compression by the name"
        if data == "json":
            table.audit(rows.expected(), rows.paths())
            continue
        # A csv file doesn't name its columns, so the audit can't read it.
        assert not difference(csv_rows(table), rows.expected()), f"{data} {compression}: (a)"
        assert set(listing.success) == rows.paths(), "(b)"
        assert not listing.uploads, "(d)"
        assert not listing.strays, "(e)"


def csv_rows(table: Table) -> pa.Table:
    """All rows of the visible files."""
    client = table.server.client()
    found = []
    for each in table.listing().data:
        body = plain(each.key, client.get_object(Bucket=BUCKET, Key=each.key)["Body"].read())
        partition = each.partition.removeprefix("p=").rstrip("/")
        found += [(int(number), text, partition) for number, text in csv.reader(io.StringIO(body.decode()))]
    return pa.table([pa.array(column) for column in zip(*found, strict=True)], names=["id", "hash", "p"])


def flink_reads(lake: Lake, table: Table, connector: str) -> list[tuple[object, ...]]:
    """Number of rows, of different rows, and the sum of their ids, as Flink's own source finds them."""
    reading = Table(table.server, table.name, table.columns, table.partition, connector, table.options)
    found = lake.select(reading.ddl, "SELECT COUNT(*), COUNT(DISTINCT `hash`), SUM(id) FROM sink")
    return [tuple(row) for row in found]


def test_no_row_is_lost_with_a_writer_and_flink_reads_all(lake: Lake) -> None:
    """Files that are open over checkpoints when a writer is killed end as whole compressed files; Flink's source reads every row."""
    rows = Rows(9_000)
    tables = tables_for(lake, rows)

    # Phase 1: some checkpoints; json's files stay open over them, csv's end with each.
    job = insert(lake, tables, rows, 300, {"execution.checkpointing.interval": "500 ms"})
    job.has_checkpoints(4)
    assert not tables["json", "gzip"].listing().data, "open over checkpoints"
    assert tables["csv", "gzip"].listing().data, "ended by checkpoints"

    # Phase 2: a writer is killed, all of the job's are started anew, and restore.
    job.kill_writer(job.some_writers(len(CASES))[0]).finishes()
    assert tables["json", "gzip"].listing().data, "what was open is visible"

    # Phase 3: the files, as they are and as Flink reads them.
    audit(tables, rows)
    expected = [(rows.count, rows.count, sum(range(rows.count)))]
    for (data, compression), table in tables.items():
        if (data, compression) == ("csv", "zstd"):
            continue
        for connector in (BRIDGE, STOCK):
            assert flink_reads(lake, table, connector) == expected, f"{connector} reads {data} with {compression}"


def test_a_batch_insert_compresses(lake: Lake) -> None:
    """Without checkpoints files are compressed alike; and csv with zstd, which Flink can't read, is refused rather than misread."""
    rows = Rows(2_000)
    tables = tables_for(lake, rows, [("csv", "zstd"), ("json", "gzip")])
    insert(lake, tables, rows, 1_000_000, {"execution.runtime-mode": "batch"}).finishes()
    audit(tables, rows)

    unreadable = tables["csv", "zstd"]
    with pytest.raises(RestFailed, match=r"Flink can.t read csv files with .sink\.file\.compression. = .zstd."):
        flink_reads(lake, unreadable, BRIDGE)
    with pytest.raises(RestFailed):
        flink_reads(lake, unreadable, STOCK)
