"""A part of a job restarts, or a job changes its size while it runs. Each ends with the audit."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.faults import FaultPoints
from tests.integration.jobs import Job
from tests.integration.lake import MULTIPART, Contents, Lake, Table
from tests.integration.rows import Rows
from tests.support.feed import Feed
from tests.support.flink import FlinkCluster, s3_config, shim_jar
from tests.support.servers import S3Server


def writers_of(faults: FaultPoints, table: Table) -> set[int]:
    """Pids of the writers that have sent parts of this table's files."""
    return {each.pid for each in faults.reached("after-part") if each.facts["key"].startswith(f"{table.name}/")}


def test_one_region_fails_over_and_the_other_goes_on(lake: Lake, tmp_path: Path) -> None:
    """Two pipelines of one job: a writer of one is killed, and the other one's tasks and writers stay."""
    rows = Rows(1 << 40)
    table, other = lake.table(rows, MULTIPART), lake.table(rows, MULTIPART)
    feed = Feed(tmp_path / "inbox")
    source = rows.watched(feed.inbox)
    ddl = source + source.replace("TABLE numbers", "TABLE others") + table.ddl + other.ddl.replace("TABLE sink", "TABLE beside")
    inserts = f"INSERT INTO sink {rows.query};\nINSERT INTO beside {rows.query.replace('FROM numbers', 'FROM others')};\n"
    settings = {"parallelism.default": "1", "execution.checkpointing.interval": "500 ms"}
    job = lake.insert(ddl, f"EXECUTE STATEMENT SET BEGIN\n{inserts}END", settings)
    contents = [Contents(table), Contents(other)]

    def lands() -> None:
        feed.drop(1_000)
        job.waits_for("all rows in both tables", lambda: all(each.rows().total() >= feed.rows for each in contents))

    lands()
    with lake.faults.hold("after-part") as reached:
        feed.drop(1_000)
        # Whichever it is of the two.
        held = reached()
        stays = table if held in writers_of(lake.faults, other) else other
        (living,) = writers_of(lake.faults, stays)
        job.kill_writer(held)
    lands()
    job.stops(drain=True)
    attempts = sorted(attempt(lake, job, str(each["id"])) for each in job.vertices())
    assert attempts == [0, 0, 1, 1], (
        "the tasks of one table, source and writer, committer and end, have run twice, those of the other once"
    )
    assert writers_of(lake.faults, stays) == {living}, "the other table has had one writer from beginning to end"
    read = rows.first(feed.rows)
    for each in (table, other):
        each.remove_orphans()
        each.audit(read.expected(), read.paths())


def attempt(lake: Lake, job: Job, vertex: str) -> int:
    """How often the vertex's tasks were started again."""
    (number,) = lake.cluster.jobs.attempts(job.id, vertex)
    return number


@pytest.fixture
def adaptive(lake: Lake, server: S3Server, tmp_path: Path) -> Iterator[FlinkCluster]:
    """A JobManager with the adaptive scheduler, which is a setting of clusters, and two TaskManagers of one slot.

    Its jobs come through the gateway of the cluster that all tests share.
    """
    config = {
        **s3_config(server),
        "jobmanager.scheduler": "adaptive",
        "jobmanager.adaptive-scheduler.submission.resource-stabilization-timeout": "1 s",
        "jobmanager.adaptive-scheduler.executing.cooldown-after-rescaling": "0 s",
        "jobmanager.adaptive-scheduler.executing.resource-stabilization-timeout": "0 s",
        "jobmanager.memory.heap.size": "256m",
        "taskmanager.memory.task.heap.size": "256m",
        "restart-strategy.fixed-delay.attempts": 600,
        "restart-strategy.fixed-delay.delay": "200 ms",
    }
    cluster = FlinkCluster(tmp_path / "flink", slots=1, taskmanagers=2, jars=[shim_jar()], config=config)
    cluster.sql = lake.cluster.sql
    try:
        for each in (cluster.jobmanager, *cluster.taskmanagers):
            each.start()
        cluster.wait_ready()
        yield cluster
    finally:
        cluster.stop()


@pytest.mark.thorough
def test_a_job_shrinks_and_grows_in_place(adaptive: FlinkCluster, lake: Lake, server: S3Server, tmp_path: Path) -> None:
    """The adaptive scheduler goes on with one writer where a TaskManager is lost, and with two when there is another one."""
    rows = Rows(1 << 40)
    table = lake.table(rows, MULTIPART)
    feed = Feed(tmp_path / "inbox")
    contents = Contents(table)
    settings = {
        "rest.address": "127.0.0.1",
        "rest.port": adaptive.jobs.base.rpartition(":")[2],
        "parallelism.default": "2",
        "execution.checkpointing.interval": "500 ms",
    }
    with Lake(adaptive, server, lake.policies, lake.faults) as here:
        job = here.insert(rows.watched(feed.inbox) + table.ddl, f"INSERT INTO sink {rows.query}", settings)

        def has(writers: int) -> bool:
            sizes = {int(each["parallelism"]) for each in job.vertices() if "BridgeFileWriter" in each["name"]}
            return sizes == {writers} and adaptive.jobs.running(job.id)

        def lands(writers: int) -> None:
            job.waits_for(f"{writers} writers", lambda: has(writers), 180)
            feed.drop(1_000, files=4)
            job.waits_for("their files", lambda: contents.rows().total() >= feed.rows)

        lands(2)
        adaptive.taskmanagers[0].kill()
        lands(1)
        adaptive.add_taskmanager()
        lands(2)
        job.stops(drain=True)
        assert len(here.jobs) == 1, "all of this was one job"
    read = rows.first(feed.rows)
    table.remove_orphans()
    table.audit(read.expected(), read.paths())
