"""Clusters that are set up otherwise: each gives the same rows, the same success files, and files of the bridge."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from testcontainers.core.network import Network

from partition_bridge.audit import BRIDGE_FILE
from tests.containers import cluster as clusters
from tests.containers.stores import SeaweedfsContainer, StoreContainer
from tests.integration.lake import BRIDGE, BUCKET, MULTIPART, STOCK, SqlLake, Table
from tests.integration.rows import Rows
from tests.integration.stage import IGNORING
from tests.support.flink import JARS

pytestmark = pytest.mark.containers

PATIENCE = 300.0


ROWS = Rows(4_000, per_day=1_000)


@dataclass(frozen=True)
class Setup:
    """What is different. `arguments` are those of `clusters.running`."""

    arguments: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    connectors: tuple[str, ...] = (BRIDGE,)
    rows: Rows = ROWS
    plugin: str = ""
    seaweedfs: bool = False

    @classmethod
    def of_plugin(cls, name: str, config: Mapping[str, str] | None = None, *, seaweedfs: bool = False) -> "Setup":
        """Another S3 plugin in the place of the image's own: only one may answer to s3://."""
        mounts = {JARS / "plugins" / name: "/opt/flink/plugins/s3-fs-native"}
        return cls({"mounts": mounts, "config": config}, plugin=name, seaweedfs=seaweedfs)


SETUPS = {
    "takeover": Setup({"image": "takeover"}, connectors=(STOCK, BRIDGE)),
    # versitygw says ErrDirectoryNotEmpty where S3 has nothing to delete: the marker of a folder that has files.
    "s3-fs-hadoop": Setup.of_plugin("s3-fs-hadoop", {"fs.s3a.directory.marker.retention": "keep"}),
    "s3-fs-hadoop-on-seaweedfs": Setup.of_plugin("s3-fs-hadoop", seaweedfs=True),
    "s3-fs-presto": Setup.of_plugin("s3-fs-presto"),
    "zone-of-tokyo": Setup({"environment": {"TZ": "Asia/Tokyo"}}),
    # What docs/containers.md says of a TaskManager with one slot: taskmanager.memory.process.size, sink.writer.memory, 150 MB. Many partitions are open.
    "limited-memory": Setup({"memory": "1750m"}, {"sink.writer.memory": "64 mb"}, rows=Rows(20_000, partitions=100, fat=300)),
}


@pytest.mark.parametrize("name", SETUPS)
def test_a_cluster_set_up_otherwise(network: Network, store: StoreContainer, tmp_path: Path, name: str) -> None:
    """A stream of two subtasks by each of its connectors."""
    setup = SETUPS[name]
    with ExitStack() as started:
        if setup.seaweedfs:
            store = started.enter_context(SeaweedfsContainer(network, tmp_path))
            store.create_bucket(BUCKET)
        cluster = started.enter_context(clusters.running(network, store, tmp_path, **setup.arguments))
        lake = started.enter_context(SqlLake(cluster, store, {}))
        for connector in setup.connectors:
            table = lake.table(setup.rows, {**MULTIPART, **setup.options}, connector=connector)
            job = lake.stream(table, setup.rows, per_second=3_000, parallelism=2, checkpoint="1 s")
            job.finishes(PATIENCE)
            table.audit(setup.rows.expected(), setup.rows.paths())
            names = [key.rpartition("/")[2] for key in table.objects()]
            assert all(BRIDGE_FILE.fullmatch(each) for each in names), "the bridge has written them, not Flink's own sink"
            assert cluster.jobs.restarts(job.id) == 0, "without a failure"
        if setup.plugin:
            there = cluster.taskmanagers[0].run("sh", "-c", "ls /opt/flink/plugins/*/flink-s3-fs-*")
            assert [each.rpartition("/")[2].rpartition("-")[0] for each in there.split()] == [f"flink-{setup.plugin}"], (
                "the only one"
            )
        if zone := setup.arguments.get("environment", {}).get("TZ"):
            assert zone in cluster.taskmanagers[0].run("sh", "-c", "echo $TZ"), "the zone is the container's"


def test_takeover_and_back(network: Network, store: StoreContainer, tmp_path: Path) -> None:
    """A job of Flink's own connector is drained and goes on in the takeover's image by the same SQL, and then back: each row once."""
    rows = Rows(20_000)
    table: Table | None = None
    savepoint, keys = None, set[str]()
    for number, (image, is_bridge) in enumerate([("flink", False), ("takeover", True), ("flink", False)]):
        with (
            clusters.running(network, store, tmp_path / str(number), image=image) as cluster,
            SqlLake(cluster, store, {}) as lake,
        ):
            table = table or lake.table(rows, MULTIPART, connector=STOCK)
            is_last = number == 2
            speed = 1_000_000 if is_last else 300
            job = lake.stream(
                table, rows, per_second=speed, parallelism=2, checkpoint="1 s", savepoint=savepoint, settings=IGNORING
            )
            if is_last:
                job.finishes(PATIENCE)
            else:
                savepoint = job.runs().has_checkpoints(2).stops(drain=True)
            new = table.objects().keys() - keys
            assert new, f"{image}: rows have been written"
            assert all(bool(BRIDGE_FILE.fullmatch(each.rpartition("/")[2])) == is_bridge for each in new), (
                f"{image}: by its own sink"
            )
            keys |= new
    assert table
    table.audit(rows.expected(), rows.paths())
