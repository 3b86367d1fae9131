"""A cluster and a store of its own, whose JVMs are in a zone with summer time: times without a zone depend on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.integration.faults import FaultPoints
from tests.integration.lake import BUCKET, Lake
from tests.support.flink import FlinkCluster, s3_config, shim_jar
from tests.support.policies import policies_jar
from tests.support.servers import Versitygw

ZONE = "Europe/Berlin"


@contextmanager
def stage(folder: Path) -> Iterator[Lake]:
    """The folder holds everything that the processes write, their logs included."""
    points = folder / "points"
    points.mkdir()
    with Versitygw(folder / "s3") as server:
        server.create_bucket(BUCKET)
        config = {
            **s3_config(server),
            "partition-bridge.fault-points": str(points),
            "env.java.opts.taskmanager": f"-Duser.timezone={ZONE}",
        }
        with FlinkCluster(folder / "flink", slots=4, jars=[shim_jar()], config=config) as cluster:
            yield Lake(cluster, server, policies_jar(folder / "policies"), FaultPoints(points))
