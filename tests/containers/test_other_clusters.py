"""Clusters that are set up otherwise: each gives the same rows, the same success files, and files of the bridge."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from testcontainers.core.network import Network

from partition_bridge.audit import BRIDGE_FILE
from tests.containers import cluster as clusters
from tests.containers.stores import StoreContainer
from tests.integration.lake import BRIDGE, MULTIPART, STOCK, SqlLake
from tests.integration.rows import Rows

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


SETUPS = {
    "takeover": Setup({"image": "takeover"}, connectors=(STOCK, BRIDGE)),
    "zone-of-tokyo": Setup({"environment": {"TZ": "Asia/Tokyo"}}),
    # What docs/containers.md says of a TaskManager with one slot: taskmanager.memory.process.size, sink.writer.memory, 150 MB. Many partitions are open.
    "limited-memory": Setup({"memory": "1750m"}, {"sink.writer.memory": "64 mb"}, rows=Rows(20_000, partitions=100, fat=300)),
}


@pytest.mark.parametrize("name", SETUPS)
def test_a_cluster_set_up_otherwise(network: Network, store: StoreContainer, tmp_path: Path, name: str) -> None:
    """A stream of two subtasks by each of its connectors."""
    setup = SETUPS[name]
    with clusters.running(network, store, tmp_path, **setup.arguments) as cluster, SqlLake(cluster, store, {}) as lake:
        for connector in setup.connectors:
            table = lake.table(setup.rows, {**MULTIPART, **setup.options}, connector=connector)
            job = lake.stream(table, setup.rows, per_second=3_000, parallelism=2, checkpoint="1 s")
            job.finishes(PATIENCE)
            table.audit(setup.rows.expected(), setup.rows.paths())
            names = [key.rpartition("/")[2] for key in table.objects()]
            assert all(BRIDGE_FILE.fullmatch(each) for each in names), "the bridge has written them, not Flink's own sink"
            assert cluster.jobs.restarts(job.id) == 0, "without a failure"
        if zone := setup.arguments.get("environment", {}).get("TZ"):
            assert zone in cluster.taskmanagers[0].run("sh", "-c", "echo $TZ"), "the zone is the container's"
