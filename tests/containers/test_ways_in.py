"""Every way in that a user has: what comes out is the same."""

import io
from pathlib import Path
from typing import Any

import pytest
from pyarrow import orc

from partition_bridge.audit import BRIDGE_FILE, TablePath
from partition_bridge.audit.listing import list_table
from tests.containers.cluster import ContainerCluster
from tests.containers.registry import agree, polled, registered
from tests.containers.stores import MetastoreContainer, StoreContainer
from tests.integration.lake import BUCKET, MULTIPART, SqlLake, Table
from tests.integration.rows import Rows
from tests.support.flink import ROOT, FlinkCluster, s3_config, shim_jar

pytestmark = pytest.mark.containers

PATIENCE = 300.0
FORMATS = ("parquet", "orc", "avro", "csv", "json")
BATCH = {"execution.runtime-mode": "batch", "parallelism.default": "2"}


def test_the_sql_client(lake: SqlLake, cluster: ContainerCluster) -> None:
    """`sql-client.sh -f` in the gateway's container, waiting for the job."""
    rows = Rows(4_000, per_day=1_000)
    table = lake.table(rows, MULTIPART)
    settings = "SET 'execution.checkpointing.interval' = '1 s';\nSET 'table.dml-sync' = 'true';\n"
    script = cluster.shared / "insert.sql"
    script.write_text(f"{settings}{rows.source(2_000)}{table.ddl}INSERT INTO sink {rows.query};\n")
    printed = cluster.gateway.run("sql-client.sh", "-f", str(script))
    assert "Complete execution of the SQL update statement" in printed, printed
    table.audit(rows.expected(), rows.paths())


def test_pyflink(cluster: ContainerCluster, store: StoreContainer, tmp_path: Path) -> None:
    """`flink run --python` on a machine that has PyFlink, to the cluster in the containers."""
    there = {
        "rest.address": "127.0.0.1",
        "rest.port": cluster.jobmanager.port,
        "execution.checkpointing.dir": f"s3://{BUCKET}/flink/checkpoints",
        # The writers' Python is the one of the TaskManagers, not of this machine.
        "python.executable": "python",
    }
    client = FlinkCluster(tmp_path / "client", jars=[shim_jar()], config={**s3_config(store), **there})
    printed = client.run_python(ROOT / "examples" / "quickstart.py", f"s3://{BUCKET}/from-python", python="python")
    assert f"10000 rows are in s3://{BUCKET}/from-python" in printed, "it says what it did"
    listing = list_table(store.client(), TablePath(BUCKET, "from-python", ("day",), data_file=BRIDGE_FILE))
    assert listing.data, "files of the bridge"
    assert set(listing.success) == {each.partition for each in listing.data}, "each partition is announced"
    assert not listing.uploads, "no upload is left"
    assert not listing.strays, "nothing else lies there"


def test_batch_inserts_and_overwrites(lake: SqlLake, metastore: MetastoreContainer) -> None:
    """INSERT INTO, and INSERT OVERWRITE with other rows of the same partitions: those of the second are there, and listed."""
    first, second = Rows(3_000), Rows(2_000)
    table = registered(lake, first, metastore, {})
    lake.insert(first.bounded() + table.ddl, f"INSERT INTO sink {first.query}", BATCH).finishes(PATIENCE)
    agree(metastore, table, first)
    with polled(metastore, table):
        lake.insert(second.bounded() + table.ddl, f"INSERT OVERWRITE sink {second.query}", BATCH).finishes(PATIENCE)
    agree(metastore, table, second)


def test_every_format_in_one_job(lake: SqlLake) -> None:
    """A statement set of a table for each format: what pyarrow encodes and what Flink does is announced, and its rows are read back."""
    rows = Rows(1_200, per_day=400)
    tables = {each: lake.table(rows, {**MULTIPART, "format": each, "sink.writer.memory": "32 mb"}) for each in FORMATS}
    ddl = "".join(table.ddl.replace("TABLE sink", f"TABLE {name}_sink") for name, table in tables.items())
    inserts = "".join(f"INSERT INTO {name}_sink {rows.query};\n" for name in tables)
    settings = {"parallelism.default": "2", "execution.checkpointing.interval": "1 s"}
    lake.insert(rows.source(400) + ddl, f"EXECUTE STATEMENT SET BEGIN\n{inserts}END", settings).finishes(PATIENCE)
    expected = [tuple(row.values()) for row in rows.expected().to_pylist()]
    for name, table in tables.items():
        listing = table.listing()
        assert {each.partition for each in listing.data} == set(listing.success) == rows.paths(), (
            f"{name}: each day has files of the bridge"
        )
        assert not listing.uploads + listing.strays, f"{name}: and nothing else"
        # Flink reads ORC by Hadoop's file systems only, of which none is here.
        read = of_orc(table) if name == "orc" else lake.select(table.ddl, "SELECT id, `hash`, p FROM sink", PATIENCE)
        assert sorted(map(tuple, read)) == expected, f"{name}: each row once, as it was"


def of_orc(table: Table) -> list[list[Any]]:
    """Its rows as Arrow reads them."""
    rows: list[list[Any]] = []
    for each in table.listing().data:
        body = table.server.client().get_object(Bucket=table.bucket, Key=each.key)["Body"].read()
        rows += [
            [*row.values(), each.partition.removeprefix("p=").rstrip("/")] for row in orc.read_table(io.BytesIO(body)).to_pylist()
        ]
    return rows
