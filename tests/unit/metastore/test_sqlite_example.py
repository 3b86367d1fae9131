"""The example of a metastore of one's own does what docs/metastores.md says of one."""

import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import pytest

from examples.metastore import SqliteList
from partition_bridge.metastore.protocol import AlreadyThere, Column, Configuration, Metastore, TableDescription, Unavailable
from partition_bridge.metastore.serve import Patience, put

TABLE = TableDescription(
    label="c.d.t",
    database="d",
    table="t",
    location="s3://b/t",
    columns=(),
    partition_columns=(Column("day", "STRING", "string"),),
    format="parquet",
    format_options={},
    create_table=False,
    options={},
)


def test_partitions_are_lines_of_a_table(tmp_path: Path) -> None:
    """Added, announced again, moved; each repetition is borne."""
    file = tmp_path / "partitions.db"
    metastore: Metastore = SqliteList(replace(TABLE, options={"file": str(file)}))
    patience = Patience(0, time.monotonic, time.sleep, print)
    for location in ("s3://b/t/1", "s3://b/t/1", "s3://b/t/2"):
        metastore.check()
        put(metastore, patience, ["2024-01-01"], location)
    with pytest.raises(AlreadyThere):
        metastore.add(["2024-01-01"], "s3://b/t/3")
    assert metastore.location(["2024-01-01"]) == "s3://b/t/2", "the last one holds"
    metastore.close()
    lines = sqlite3.connect(file).execute("SELECT * FROM partitions").fetchall()
    assert lines == [("d.t", '{"day": "2024-01-01"}', "s3://b/t/2")], "as any program reads it"


def test_what_is_wrong_and_what_may_pass(tmp_path: Path) -> None:
    """A missing option is a person's to mend; a file that is locked is asked again."""
    with pytest.raises(Configuration, match=r"needs 'metastore\.file'"):
        SqliteList(TABLE)
    file = tmp_path / "partitions.db"
    metastore = SqliteList(replace(TABLE, options={"file": str(file)}))
    metastore.check()
    metastore._lines.execute("PRAGMA busy_timeout = 0")
    with sqlite3.connect(file, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Unavailable, match="locked"):
            metastore.add(["a"], "s3://b/t/1")
    other.close()
    metastore.close()
