"""A cluster and a store of its own for a job that is hit again and again: what other tests share would suffer."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.integration.faults import FaultPoints
from tests.integration.lake import BUCKET, Lake
from tests.soak.launch import interpreter
from tests.support.flink import FlinkCluster, s3_config, shim_jar
from tests.support.jars import policies_jar
from tests.support.servers import S3Server, Versitygw


@contextmanager
def stage(folder: Path, mutant: str | None = None) -> Iterator[Lake]:
    """For a soak. The folder holds everything that the processes write, their logs included."""
    python = {"python.executable": str(interpreter(folder, mutant))} if mutant else {}
    with Versitygw(folder / "s3") as server, lake_on(server, folder, python) as lake:
        yield lake


@contextmanager
def lake_on(server: S3Server, folder: Path, config: Mapping[str, str]) -> Iterator[Lake]:
    """The bucket on a store that runs, and a cluster with fault points and `config` besides."""
    points = folder / "points"
    points.mkdir()
    server.create_bucket(BUCKET)
    given = {
        **s3_config(server),
        "partition-bridge.fault-points": str(points),
        "execution.checkpointing.timeout": "60 s",
        **config,
    }
    with FlinkCluster(folder / "flink", slots=4, jars=[shim_jar()], config=given) as cluster:
        yield Lake(cluster, server, policies_jar(folder / "policies"), FaultPoints(points))
