"""A TaskManager that is taken for dead and isn't: it hangs, its job goes on elsewhere, and its writers still do what they had begun."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.integration.faults import wait_for, writer_pids
from tests.integration.jobs import Job
from tests.integration.lake import MULTIPART, Lake, Table
from tests.integration.rows import Rows
from tests.support.feed import Feed
from tests.support.flink import FlinkCluster, s3_config, shim_jar
from tests.support.process import ServerProcess
from tests.support.servers import S3Server

pytestmark = pytest.mark.thorough

PATIENCE = 300.0  # seconds, for what takes half a minute where nothing else uses the cores
ROWS = Rows(1 << 40, partitions=1, fat=1000)
"""16 KB a row, on average."""
A_PART = 400  # rows, 6 MB


@pytest.fixture(scope="module")
def cluster(server: S3Server, fault_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlinkCluster]:
    """Two TaskManagers of one slot; the JobManager's patience with one that says nothing is short."""
    config = {
        **s3_config(server),
        "partition-bridge.fault-points": str(fault_folder),
        "heartbeat.interval": "1 s",
        "heartbeat.timeout": "10 s",
        "jobmanager.memory.heap.size": "256m",
        "taskmanager.memory.task.heap.size": "256m",
        "restart-strategy.fixed-delay.attempts": 600,
        "restart-strategy.fixed-delay.delay": "200 ms",
    }
    folder = tmp_path_factory.mktemp("two-taskmanagers")
    with FlinkCluster(folder, slots=1, taskmanagers=2, jars=[shim_jar()], config=config) as running:
        yield running


def home_of(cluster: FlinkCluster, writer: int) -> ServerProcess:
    """The TaskManager of a writer."""
    (found,) = (each for each in cluster.taskmanagers if writer in writer_pids(each.pid))
    return found


@contextmanager
def hanging(taskmanager: ServerProcess) -> Iterator[None]:
    """While in it, the TaskManager does nothing. Its writers do: they are processes of their own."""
    os.kill(taskmanager.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(taskmanager.pid, signal.SIGCONT)


def begins(lake: Lake, feed: Feed, options: dict[str, str]) -> tuple[Table, Job]:
    """A job of one writer, with its first rows: more than one part."""
    table = lake.table(ROWS, {**MULTIPART, **options})
    settings = {
        "parallelism.default": "1",
        "execution.checkpointing.interval": "1 s",
        # So that what the source has read can be told.
        "pipeline.operator-chaining.enabled": "false",
    }
    job = lake.insert(ROWS.watched(feed.inbox) + table.ddl, f"INSERT INTO sink {ROWS.query}", settings)
    feed.drop(A_PART)
    return table, job


def ends(lake: Lake, table: Table, job: Job, feed: Feed, zombie: int) -> None:
    """The zombie ends as well, more rows come; drain and audit."""
    wait_for("the zombie's end", lambda: not lake.living([zombie]), PATIENCE)
    job.waits_for("a running job", lambda: lake.cluster.jobs.running(job.id), PATIENCE)
    feed.drop(A_PART)
    job.waits_for("all rows after the checkpoint", lambda: job.rows_read() >= feed.rows - A_PART, PATIENCE)
    job.stops(drain=True)
    rows = ROWS.first(feed.rows)
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())


def test_a_zombie_that_still_sends_parts(lake: Lake, cluster: FlinkCluster, tmp_path: Path) -> None:
    """A row format's file is open at the checkpoint. While its successor is about to end it, the zombie sends one more part of the same
    upload: the file ends with what the checkpoint names.
    """
    feed, faults = Feed(tmp_path / "inbox"), lake.faults
    # Without the delay each checkpoint commits the partition and so ends its file.
    table, job = begins(lake, feed, {"format": "json", "sink.partition-commit.delay": "1 h"})

    # Phase 1: a checkpoint names an upload with one part. Its writer comes to the next part, and its TaskManager hangs.
    (zombie,) = {each.pid for each in wait_for("a part", lambda: faults.reached("after-part"), PATIENCE)}
    job.has_checkpoints(2)
    with ExitStack() as held:
        held.enter_context(faults.hold_only("before-part", zombie))
        feed.drop(2 * A_PART)
        wait_for("the writer before its next part", lambda: faults.reached("held.before-part"), PATIENCE)
        with hanging(home_of(cluster, zombie)):
            # Phase 2: the successor is about to complete the upload; the zombie sends its part before that.
            with faults.holding("restore-before-complete") as restoring:
                successor = wait_for("the successor", restoring, PATIENCE)[0]
                seen = len(faults.reached("after-part"))
                held.close()
                late = wait_for("the zombie's part", lambda: faults.reached("after-part")[seen:], PATIENCE)[0]
                assert (late.pid, late.facts["upload_id"]) == (zombie, successor.facts["upload_id"]), "of the same upload"
                assert successor.pid != zombie
                assert not table.listing().data, "which isn't completed yet"
            wait_for("the completion", lambda: faults.reached("restore-after-complete"), PATIENCE)
    ends(lake, table, job, feed, zombie)


def test_a_zombie_that_completes_late(lake: Lake, cluster: FlinkCluster, tmp_path: Path) -> None:
    """A writer is held before its completion and its TaskManager hangs: the successor completes the file, then the zombie does, too."""
    feed, faults = Feed(tmp_path / "inbox"), lake.faults
    table, job = begins(lake, feed, {})
    with ExitStack() as held:
        with faults.holding("commit-before-complete") as committing:
            zombie = wait_for("a writer before a completion", committing, PATIENCE)[0]
            held.enter_context(faults.hold_only("commit-before-complete", zombie.pid))
        with hanging(home_of(cluster, zombie.pid)):
            completed = wait_for("the successor's completion", lambda: faults.reached("restore-after-complete"), PATIENCE)[0]
            assert completed.facts == zombie.facts, "of the same upload"
            before = {each.key: each.modified for each in table.listing().data}
            held.close()
            wait_for("the zombie's completion", lambda: zombie.pid in completed_by(lake), PATIENCE)
            after = {each.key: each.modified for each in table.listing().data}
            assert before, "the file is visible"
            assert before.items() <= after.items(), "and the zombie has changed nothing (I10)"
    ends(lake, table, job, feed, zombie.pid)


def completed_by(lake: Lake) -> set[int]:
    """Pids of writers that have completed a file of their own, or have tried to."""
    return {each.pid for each in lake.faults.reached("commit-after-complete")}
