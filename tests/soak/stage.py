"""A cluster and a store of its own for a soak: it kills what other tests share."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.integration.faults import FaultPoints
from tests.integration.lake import BUCKET, Lake
from tests.soak.launch import interpreter
from tests.support.flink import FlinkCluster, s3_config, shim_jar
from tests.support.policies import policies_jar
from tests.support.servers import Versitygw


@contextmanager
def stage(folder: Path, mutant: str | None = None) -> Iterator[Lake]:
    """The folder holds everything that the processes write, their logs included."""
    points = folder / "points"
    points.mkdir()
    with Versitygw(folder / "s3") as server:
        server.create_bucket(BUCKET)
        config = {
            **s3_config(server),
            "partition-bridge.fault-points": str(points),
            "execution.checkpointing.timeout": "60 s",
            **({"python.executable": str(interpreter(folder, mutant))} if mutant else {}),
        }
        with FlinkCluster(folder / "flink", slots=4, jars=[shim_jar()], config=config) as cluster:
            yield Lake(cluster, server, policies_jar(folder / "policies"), FaultPoints(points))
