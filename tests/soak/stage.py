"""A cluster and a store of its own for a job that is hit again and again: what other tests share would suffer."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.faults.jobs import mutants as shims
from tests.integration.faults import FaultPoints
from tests.integration.lake import BUCKET, Lake
from tests.soak.launch import python_with_a_mutant
from tests.support.flink import FlinkCluster, s3_config, shim_jar
from tests.support.jars import policies_jar
from tests.support.servers import S3Server, Versitygw


@contextmanager
def stage(folder: Path, mutant: str = "") -> Iterator[Lake]:
    """For a soak, with a mutant of the writer or of the shim. The folder holds everything that the processes write, their logs included."""
    with ExitStack() as open_:
        jar, config = None, {}
        if mutant in shims.MUTANTS:
            jar = open_.enter_context(shims.mutated_jar(mutant))
        elif mutant:
            config = {"python.executable": str(python_with_a_mutant(folder, mutant))}
        server = open_.enter_context(Versitygw(folder / "s3"))
        yield open_.enter_context(lake_on(server, folder, config, jar))


@contextmanager
def lake_on(server: S3Server, folder: Path, config: Mapping[str, str], jar: Path | None = None) -> Iterator[Lake]:
    """The bucket on a store that runs, and a cluster with fault points and `config` besides; `jar` instead of the shim's."""
    points = folder / "points"
    points.mkdir()
    server.create_bucket(BUCKET)
    given = {
        **s3_config(server),
        "partition-bridge.fault-points": str(points),
        "execution.checkpointing.timeout": "60 s",
        **config,
    }
    with FlinkCluster(folder / "flink", slots=4, jars=[jar or shim_jar()], config=given) as cluster:
        yield Lake(cluster, server, policies_jar(folder / "policies"), FaultPoints(points))
