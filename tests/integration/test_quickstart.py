"""The examples that the documentation starts with do what it says."""

import io
import time
from collections.abc import Iterator

import pyarrow.parquet as pq
import pytest

from partition_bridge.audit import BRIDGE_FILE, TablePath
from partition_bridge.audit.listing import Listing, list_table
from tests.support.flink import ROOT, FlinkCluster, s3_config, shim_jar
from tests.support.servers import S3Server, Versitygw

EXAMPLES = ROOT / "examples"
PATIENCE = 120.0  # seconds; no assert depends on it, it only ends a test whose job hangs


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A store with the bucket that the examples name."""
    with Versitygw(tmp_path_factory.mktemp("s3")) as running:
        running.create_bucket("lake")
        yield running


@pytest.fixture(scope="module")
def cluster(server: S3Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlinkCluster]:
    """A Flink as docs/getting-started.md has it: shim in lib, S3 plugin, keys in the configuration."""
    with FlinkCluster(tmp_path_factory.mktemp("flink"), jars=[shim_jar()], config=s3_config(server)) as running:
        yield running


def listed(server: S3Server, folder: str) -> Listing:
    """What is visible under a table's path."""
    return list_table(server.client(), TablePath("lake", folder, ("day",), data_file=BRIDGE_FILE))


def test_the_sql_quickstart_commits_partitions_while_it_runs(cluster: FlinkCluster, server: S3Server) -> None:
    """`sql-client.sh -f quickstart.sql`: after a checkpoint there are files of the bridge and `_SUCCESS`, and the job goes on."""
    job = cluster.sql.script((EXAMPLES / "quickstart.sql").read_text())
    assert job is not None, "the script ends with an INSERT"

    deadline = time.monotonic() + PATIENCE
    while not listed(server, "readings").success:
        cluster.jobs.wait(job, frozenset({"CREATED", "RUNNING"}))
        assert time.monotonic() < deadline, f"no _SUCCESS; failures of the job: {cluster.jobs.exceptions(job)}"
        time.sleep(0.5)

    listing = listed(server, "readings")
    assert listing.data, "a partition is announced only after its files are visible (I4)"
    assert {each.partition for each in listing.data} >= set(listing.success), "only partitions with files are announced"
    cluster.jobs.cancel(job)
    cluster.jobs.wait(job, frozenset({"CANCELED"}))


def test_the_pyflink_quickstart_ends_with_all_rows_visible(cluster: FlinkCluster, server: S3Server) -> None:
    """`flink run --python quickstart.py`: the command returns when 10,000 rows are visible and each day has `_SUCCESS`."""
    printed = cluster.run_python(EXAMPLES / "quickstart.py", "s3://lake/from-python")

    assert "10000 rows are in s3://lake/from-python" in printed, "it says what it did"
    listing = listed(server, "from-python")
    store = server.client()
    files = [store.get_object(Bucket="lake", Key=each.key)["Body"].read() for each in listing.data]
    assert sum(pq.read_metadata(io.BytesIO(each)).num_rows for each in files) == 10_000, "every row once"
    assert set(listing.success) == {each.partition for each in listing.data}, "each partition is announced"
