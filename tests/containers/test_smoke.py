"""What `make test` shows of the containers: rows that come out right, a container that is killed, a metastore, and what nobody may find."""

import hashlib
import time

from tests.containers.cluster import ContainerCluster
from tests.containers.registry import agree, polled, registered
from tests.containers.stores import MetastoreContainer, StoreContainer
from tests.containers.traces import files_with, processes
from tests.integration.faults import wait_for
from tests.integration.lake import BRIDGE, MULTIPART, STOCK, SqlLake
from tests.integration.rows import Rows

PATIENCE = 300.0  # seconds, for what takes some where nothing else uses the cores
LARGE = {**MULTIPART, "parquet.compression": "UNCOMPRESSED", "parquet.block.size": str(1 << 20)}
"""Bytes become parts at once."""


def test_a_stream_ends_up_in_partitions_with_success_files(lake: SqlLake) -> None:
    """SQL by the gateway's REST: rows of four days on two TaskManagers, each once, each day announced."""
    rows = Rows(4_000, per_day=1_000)
    table = lake.table(rows, MULTIPART)
    lake.stream(table, rows, per_second=4_000, parallelism=2).finishes(PATIENCE)
    report = table.audit(rows.expected(), rows.paths())
    assert report.data_objects >= 8, "both TaskManagers have written each day"


def test_containers_are_killed_while_they_write(lake: SqlLake, cluster: ContainerCluster) -> None:
    """A TaskManager in the middle of a file, then a writer between a complete checkpoint and the completion of its upload: each row once."""
    rows = Rows(8_000, per_day=2_000, fat=400)
    table = lake.table(rows, LARGE)

    # Phase 1: a part of a file is sent, and the rest of it isn't.
    with cluster.holding("after-part", number=1) as held:
        job = lake.stream(table, rows, per_second=1_000, parallelism=2, checkpoint="2 s")
        taskmanager, at = held.wait()
        assert at.facts["upload_id"] in {each.upload_id for each in table.listing().uploads}, "its upload is open"
        seen = job.failures()
        taskmanager.kill()
    taskmanager.start()
    job.fails_over(seen)

    # Phase 2: the upload is in a complete checkpoint, and the file isn't visible.
    with cluster.holding("commit-before-complete") as held:
        taskmanager, at = held.wait()
        assert at.facts["key"] not in table.objects(), "nobody sees the file yet"
        seen = job.failures()
        taskmanager.kill_process(at.pid)
    job.fails_over(seen).finishes(PATIENCE)
    assert at.facts["key"] in table.objects(), "its successor has completed it"
    assert table.remove_orphans() >= 1, "what was killed mid-file left its upload open (I2)"
    table.audit(rows.expected(), rows.paths())


def test_a_metastore_lists_what_is_complete(lake: SqlLake, metastore: MetastoreContainer) -> None:
    """Hive's has exactly the days with `_SUCCESS`, and nobody could have seen a `_SUCCESS` before its entry."""
    rows = Rows(3_000, per_day=1_000)
    table = registered(lake, rows, metastore, {})
    job = lake.stream(table, rows, per_second=1_000, parallelism=2)
    with polled(metastore, table):
        job.finishes(PATIENCE)
    agree(metastore, table, rows)


def test_neither_rows_nor_secrets_are_left_in_a_container(
    lake: SqlLake, cluster: ContainerCluster, store: StoreContainer
) -> None:
    """While a file is being uploaded no container has a row on its disk, where Flink's own sink has them; and no process shows the store's key."""
    containers = [cluster.jobmanager, *cluster.taskmanagers, cluster.gateway]
    rows, began = Rows(4_000, partitions=1, fat=400), time.time()
    hashes = [hashlib.md5(str(number).encode()).hexdigest()[:16] for number in range(rows.count)]

    # Phase 1: a writer has sent a part and has more rows, of a file that goes on.
    table = lake.table(rows, LARGE, connector=BRIDGE)
    with cluster.holding("after-part", number=1) as held:
        job = lake.stream(table, rows, per_second=2_000, checkpoint="10 min")
        taskmanager, _ = held.wait()
        on_disk = files_with(hashes, containers, began)
        shown = processes(taskmanager)
    job.finishes(PATIENCE)
    table.audit(rows.expected(), rows.paths())
    assert not on_disk, "table bytes on disk (I9)"
    assert not files_with(hashes, containers, began), "nor are they when the job has ended"
    assert "partition_bridge.writer" in shown, "a writer was there to be looked at"
    assert "FLINK_HOME=" in shown, "environments were"
    assert store.secret_key not in shown, "arguments or environment show the store's key (I12)"
    assert store.secret_key not in str(taskmanager.inside.attrs), "nor does the container itself"

    # Phase 2: the control.
    table = lake.table(rows, LARGE, connector=STOCK)
    lake.stream(table, rows, per_second=60, checkpoint="10 min")
    wait_for("a staging file of Flink's own sink", lambda: files_with(hashes, cluster.taskmanagers, began))
