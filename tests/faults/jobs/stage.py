"""A cluster whose writers reach the store through the fault proxy; Flink's own file system, and the tests, go to the store itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.integration.faults import FaultPoints
from tests.integration.lake import BUCKET, Lake
from tests.soak.launch import interpreter
from tests.support.faultproxy.proxy import FaultProxy
from tests.support.flink import FlinkCluster, s3_config, shim_jar
from tests.support.policies import policies_jar
from tests.support.servers import SERVERS


@contextmanager
def stage(folder: Path, server_name: str) -> Iterator[tuple[Lake, FaultProxy]]:
    """The folder holds everything that the processes write, their logs included."""
    points = folder / "points"
    points.mkdir(parents=True)
    with SERVERS[server_name](folder / "s3") as server, FaultProxy(server.endpoint, folder / "proxy") as proxy:
        server.create_bucket(BUCKET)
        config = {
            **s3_config(server),
            # The bridge honours a bucket's own endpoint; s3-fs-native knows no such key.
            f"fs.s3a.bucket.{BUCKET}.endpoint": proxy.endpoint,
            "partition-bridge.fault-points": str(points),
            "python.executable": str(interpreter(folder, impatient=True)),
            "execution.checkpointing.timeout": "60 s",
        }
        with FlinkCluster(folder / "flink", slots=4, jars=[shim_jar()], config=config) as cluster:
            yield Lake(cluster, server, policies_jar(folder / "policies"), FaultPoints(points)), proxy
