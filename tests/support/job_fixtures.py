"""One cluster and one S3 server for all job-level tests; each test has a table folder and sessions of its own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.faults import FaultPoints
from tests.integration.lake import BUCKET, Lake
from tests.integration.stage import Stage
from tests.support.flink import FlinkCluster, s3_config, shim_jar
from tests.support.jars import policies_jar
from tests.support.servers import S3Server, Versitygw

ENTROPY = "ENTROPY"
"""Text in a path that Flink is told to replace by random characters."""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A real S3 server with a bucket for all tables."""
    with Versitygw(tmp_path_factory.mktemp("s3")) as running:
        running.create_bucket(BUCKET)
        yield running


@pytest.fixture(scope="session")
def policies(tmp_path_factory: pytest.TempPathFactory) -> str:
    """URL of a jar with the commit policies and functions of tests/support/java: a job's own jar, as a user's would be."""
    return policies_jar(tmp_path_factory.mktemp("policies"))


@pytest.fixture(scope="session")
def fault_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where every writer of the cluster reports the fault points that it reaches."""
    return tmp_path_factory.mktemp("faults")


def wrong_settings() -> dict[str, str]:
    """Buckets for which an administrator got the store's settings wrong (test_wrong_input.py)."""
    return {
        "fs.s3a.bucket.bad-key.secret.key": "not-the-secret",
        "fs.s3a.bucket.no-endpoint.endpoint": "http://127.0.0.1:9",
    }


def job_cluster(folder: Path, server: S3Server, fault_folder: Path, shim: Path) -> FlinkCluster:
    """Flink with the shim in lib/, as `partition-bridge install` would have it, and a log of where each class came from."""
    config = {
        **s3_config(server),
        "partition-bridge.fault-points": str(fault_folder),
        "env.java.opts.taskmanager": f"-Xlog:class+load=info:file={folder}/classes-%p.log:none:filecount=0",
        **wrong_settings(),
        "s3.entropy.key": ENTROPY,
        "execution.checkpointing.timeout": "60 s",
        "execution.checkpointing.num-retained": 5,
        # Tests count a job's failures; Flink remembers 16.
        "web.exception-history-size": 1000,
        # Restarts until a killed TaskManager's successor is there, which takes long on a busy machine.
        "restart-strategy.fixed-delay.attempts": 600,
        "restart-strategy.fixed-delay.delay": "200 ms",
        # Batch tasks that are much slower than their like are overtaken by a second attempt, beside them.
        "execution.batch.speculative.enabled": True,
        "execution.batch.speculative.block-slow-node-duration": "0 s",
        "slow-task-detector.execution-time.baseline-lower-bound": "5 s",
        "slow-task-detector.execution-time.baseline-ratio": 0.5,
    }
    return FlinkCluster(folder, slots=4, jars=[shim], config=config)


@pytest.fixture(scope="session")
def cluster(server: S3Server, fault_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlinkCluster]:
    """The one of all job tests."""
    with job_cluster(tmp_path_factory.mktemp("flink"), server, fault_folder, shim_jar()) as running:
        yield running


@pytest.fixture
def lake(cluster: FlinkCluster, server: S3Server, policies: str, fault_folder: Path) -> Iterator[Lake]:
    """Where a test makes its tables, sessions and jobs. What still runs at the test's end is cancelled."""
    with Lake(cluster, server, policies, FaultPoints(fault_folder)) as here:
        yield here


@pytest.fixture
def stage(lake: Lake, tmp_path: Path) -> Callable[..., Stage]:
    """Makes the stage of one connector: `stage(connector, options, on_disk=…)`."""

    def make(connector: str, options: dict[str, str] | None = None, *, on_disk: bool = False) -> Stage:
        return Stage(lake, connector, tmp_path, options or {}, on_disk)

    return make
