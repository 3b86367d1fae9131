"""A cluster that keeps its jobs in ZooKeeper: they go on by themselves when the JobManager, or everything, has died. Each ends with the audit."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integration.faults import kill_9, wait_for
from tests.integration.jobs import Job
from tests.integration.lake import BUCKET, MULTIPART, Contents, Lake, Table
from tests.integration.rows import Rows
from tests.support.feed import Feed
from tests.support.flink import FlinkCluster, s3_config, shim_jar
from tests.support.process import ServerProcess
from tests.support.servers import S3Server, Versitygw
from tests.support.zookeeper import ZooKeeper

ROWS = Rows(1 << 40, per_day=1_000)
FED = 10_000
LATE = 30  # days that event time waits: no row is late, in whatever order the files are read
PATIENCE = 300.0  # seconds, for what takes half a minute where nothing else uses the cores
SETTINGS = {
    "parallelism.default": "2",
    "execution.checkpointing.interval": "1 s",
    "restart-strategy.type": "fixed-delay",
    "restart-strategy.fixed-delay.attempts": "1000000",
    "restart-strategy.fixed-delay.delay": "200 ms",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A store of its own, since it's killed."""
    with Versitygw(tmp_path_factory.mktemp("s3")) as running:
        running.create_bucket(BUCKET)
        yield running


@pytest.fixture(scope="module")
def cluster(server: S3Server, fault_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlinkCluster]:
    """A cluster of its own: no other setting could be changed for a job."""
    folder = tmp_path_factory.mktemp("ha")
    with ZooKeeper(folder / "zookeeper") as zookeeper:
        config = {
            **s3_config(server),
            **zookeeper.flink_config(folder / "jobs"),
            "partition-bridge.fault-points": str(fault_folder),
            "execution.checkpointing.timeout": "60 s",
        }
        with FlinkCluster(folder / "flink", jars=[shim_jar()], config=config) as running:
            yield running


def begins(lake: Lake, feed: Feed) -> tuple[Table, Job]:
    """A stream of days, half of its rows fed."""
    table = lake.table(ROWS, MULTIPART)
    job = lake.insert(ROWS.watched(feed.inbox, late_days=LATE) + table.ddl, f"INSERT INTO sink {ROWS.query}", SETTINGS)
    feed.drop(FED, files=4)
    return table, job


def ends(table: Table, job: Job, feed: Feed) -> None:
    """The rest of the rows, a drain, the audit."""
    feed.drop(FED, files=4)
    rows = ROWS.first(feed.rows)
    contents = Contents(table)
    job.waits_for("all rows", lambda: contents.rows().total() >= rows.count, PATIENCE)
    job.stops(drain=True)
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())


@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(
    "jvms_end", [ServerProcess.kill, pytest.param(ServerProcess.stop, marks=pytest.mark.thorough)], ids=["SIGKILL", "SIGTERM"]
)
def test_the_jobmanager_is_killed_and_then_everything_at_once(
    lake: Lake, cluster: FlinkCluster, server: S3Server, tmp_path: Path, jvms_end: Callable[[ServerProcess], None]
) -> None:
    """The JobManager dies between a complete checkpoint and its files' completion, later writers, TaskManager, JobManager and store at
    once: each time the successors take the job up by themselves.
    """
    feed = Feed(tmp_path / "inbox")
    table, job = begins(lake, feed)

    # Phase 1: the JobManager alone.
    with pending(lake, table):
        writers = job.some_writers(2)
        jvms_end(cluster.jobmanager)
        cluster.restart_jobmanager()
    goes_on(lake, cluster, job, writers)
    feed.drop(FED, files=4)

    # Phase 2: everything, right after a complete checkpoint.
    (taskmanager,) = cluster.taskmanagers
    with pending(lake, table):
        writers = job.some_writers(2)
        for pid in writers:
            kill_9(pid)
        server.kill()
        jvms_end(taskmanager)
        jvms_end(cluster.jobmanager)
    server.restart()
    cluster.restart_jobmanager()
    taskmanager.start()
    goes_on(lake, cluster, job, writers)

    # Phase 3: to the end.
    assert len(lake.jobs) == 1, "nobody has submitted it again"
    ends(table, job, feed)


@contextmanager
def pending(lake: Lake, table: Table) -> Iterator[None]:
    """While in it, a checkpoint is complete and names uploads that aren't."""
    with lake.faults.holding("commit-before-complete") as held:
        wait_for("a writer before a completion", held, PATIENCE)
        # versitygw 1.8.0 loses upload and object when it dies in the middle of a completion.
        wait_for("the end of completions that had begun", lake.faults.no_completion_is_under_way, PATIENCE)
        assert table.listing().uploads, "there are uploads to complete"
        yield


def goes_on(lake: Lake, cluster: FlinkCluster, job: Job, writers: Collection[int]) -> None:
    """The killed attempt is gone, and the same job runs."""
    wait_for("the end of the old writers", lambda: not lake.living(writers), PATIENCE)
    job.waits_for("the same job", lambda: cluster.jobs.running(job.id), PATIENCE)
