"""Every way in that a user has: what comes out is the same."""

from pathlib import Path

import pytest

from partition_bridge.audit import BRIDGE_FILE, TablePath
from partition_bridge.audit.listing import list_table
from tests.containers.cluster import ContainerCluster
from tests.containers.registry import agree, polled, registered
from tests.containers.stores import MetastoreContainer, StoreContainer
from tests.integration.lake import BUCKET, MULTIPART, SqlLake
from tests.integration.rows import Rows
from tests.support.flink import ROOT, FlinkCluster, s3_config, shim_jar

pytestmark = pytest.mark.containers

PATIENCE = 300.0
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
