"""The main jobs on another store and by way of another S3 plugin: SeaweedFS and s3-fs-hadoop.

Its deviations from S3 are others than versitygw's, on which every other job runs: it lists in no order, says 200 to a repeated
Complete, keeps both versions of a part that was sent twice. A cluster of its own, since s3-fs-native knows one endpoint.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration import test_modes, test_restarts, test_streams
from tests.integration.lake import BRIDGE, BUCKET, Lake
from tests.support.flink import FlinkCluster, s3_config, shim_jar
from tests.support.servers import S3Server, SeaweedFS


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """SeaweedFS with the bucket for all tables."""
    with SeaweedFS(tmp_path_factory.mktemp("seaweedfs")) as running:
        running.create_bucket(BUCKET)
        yield running


@pytest.fixture(scope="module")
def cluster(server: S3Server, fault_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlinkCluster]:
    """Flink with the shim and Hadoop's S3 plugin."""
    config = {
        **s3_config(server),
        "partition-bridge.fault-points": str(fault_folder),
        "execution.checkpointing.timeout": "60 s",
        "restart-strategy.fixed-delay.delay": "200 ms",
    }
    folder = tmp_path_factory.mktemp("flink-on-seaweedfs")
    with FlinkCluster(folder, jars=[shim_jar()], plugin="s3-fs-hadoop", config=config) as running:
        yield running


def test_bounded_input_by_process_time(lake: Lake) -> None:
    """A job that runs out of input commits every partition."""
    test_streams.test_bounded_input_by_process_time(lake, BRIDGE, 2)


def test_checkpoint_interval_longer_than_the_job(lake: Lake) -> None:
    """All files are promised at the end of input, and this plugin's file system finds them under the paths that were promised."""
    test_modes.test_checkpoint_interval_longer_than_the_job(lake, "true")


@pytest.mark.thorough
def test_stop_with_savepoint_and_restore(lake: Lake) -> None:
    """A job that is stopped and started again from its savepoint lands each row once."""
    test_restarts.test_stop_with_savepoint_and_restore(lake, "process-time")


@pytest.mark.thorough
def test_writer_killed_after_completion(lake: Lake) -> None:
    """The replay of a completed upload finds its object and adds nothing (I3)."""
    test_restarts.test_writer_killed_after_completion(lake)
