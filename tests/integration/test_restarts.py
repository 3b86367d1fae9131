"""Jobs that are interrupted: killed writers, failing tasks, an absent store, savepoints, rescales. Each ends with the audit."""

import time
from collections.abc import Callable

import pytest

from tests.integration.faults import wait_for
from tests.integration.lake import BRIDGE, MULTIPART, Lake
from tests.integration.rows import Rows
from tests.integration.stage import Stage
from tests.support.servers import S3Server

AN_ANNOUNCEMENT = 1.5
"""Seconds: what would come at once, if it came."""


def test_writer_killed_with_an_open_upload(lake: Lake) -> None:
    """A writer dies before its checkpoint is acknowledged: its task fails and names the upload, the rows are written again, once."""
    rows = Rows(20_000)
    table = lake.table(rows, MULTIPART)
    with lake.faults.hold("after-part") as reached:
        job = lake.stream(table, rows, per_second=4_000, parallelism=2)
        held = reached()
        (sent, *_) = lake.faults.reached("after-part")
        job.kill_writer(held)
    job.finishes()
    assert "ended by signal 9" in job.causes, "the failure says what died"
    assert sent.facts["upload_id"] in job.causes, "and what it left open"
    assert sent.facts["upload_id"] in {each.upload_id for each in table.listing().uploads}, (
        "no snapshot names it, so nobody completes it (I2)"
    )
    assert table.remove_orphans() > 0, "the orphan tool finds it"
    table.audit(rows.expected(), rows.paths())


def test_writer_killed_with_pending_files(lake: Lake) -> None:
    """A checkpoint is complete and its files aren't visible yet: the restored job completes them, not a copy."""
    rows = Rows(20_000)
    table = lake.table(rows, MULTIPART)
    with lake.faults.hold("commit-before-complete") as reached:
        job = lake.stream(table, rows, per_second=2_500, parallelism=2)
        held = reached()
        pending = {each.upload_id for each in table.listing().uploads}
        assert pending, "the held writer has uploads to complete"
        assert not table.listing().data, "nothing is visible before the first completion (I2)"
        since = time.monotonic()
        wait_for("time enough for an announcement", lambda: time.monotonic() > since + AN_ANNOUNCEMENT)
        assert not table.listing().success, "nothing is announced before its files are visible (I4)"
        job.kill_writer(held)
    job.finishes()
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())


def test_writer_killed_after_completion(lake: Lake) -> None:
    """An object is visible and its writer dies before it says so: the replay finds it and adds nothing (I3)."""
    rows = Rows(20_000)
    table = lake.table(rows, MULTIPART)
    with lake.faults.hold("commit-after-complete") as reached:
        job = lake.stream(table, rows, per_second=2_500, parallelism=1)
        held = reached()
        assert table.listing().data, "an object is visible"
        job.kill_writer(held)
    job.finishes()
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())


def test_writer_killed_during_restore(lake: Lake) -> None:
    """A restore that dies half way is repeated by the next one."""
    rows = Rows(20_000)
    table = lake.table(rows, MULTIPART)
    with lake.faults.hold("restore-before-complete") as restoring:
        with lake.faults.hold("commit-before-complete") as committing:
            job = lake.stream(table, rows, per_second=2_500, parallelism=1)
            failures = job.failures()
            job.kills(committing())
        held = restoring()
        job.fails_over(failures, running=False)
        failures = job.failures()
        job.kills(held)
        job.fails_over(failures, running=False)
    job.runs_or_ended().finishes()
    assert lake.faults.reached("restore-after-complete"), "the last restore completed what the first one couldn't"
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())


@pytest.mark.parametrize("signal", ["SIGKILL", pytest.param("SIGTERM", marks=pytest.mark.thorough)])
def test_taskmanager_killed(lake: Lake, signal: str) -> None:
    """Writers die with their TaskManager and publish nothing; a new one takes the job over."""
    rows = Rows(20_000, per_day=5_000)
    table = lake.table(rows, MULTIPART)
    job = lake.stream(table, rows, per_second=1_500, parallelism=2).runs().has_checkpoints(2)
    writers = job.some_writers(2)
    failures = job.failures()
    lake.kill_taskmanager(gently=signal == "SIGTERM")
    job.waits_for("the orphaned writers' end", lambda: not lake.living(writers))
    job.fails_over(failures).finishes()
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())


def test_exception_in_the_committer(lake: Lake, tmp_path: object) -> None:
    """A policy that throws fails the job over; the partition is announced again and committed (I4)."""
    rows = Rows(10_000)
    table = lake.table(
        rows,
        {
            "sink.partition-commit.policy.kind": "custom,success-file",
            "sink.partition-commit.policy.class": "io.partitionbridge.policies.FailingOncePolicy",
            "sink.partition-commit.policy.class.parameters": f"{tmp_path}/failed",
        },
    )
    job = lake.stream(table, rows, per_second=2_500, parallelism=2)
    job.waits_for("the policy's failure", lambda: "the metastore is away" in job.causes).finishes()
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())


def test_store_away(lake: Lake, server: S3Server) -> None:
    """A store that is away for a while costs time, no row (I11)."""
    rows = Rows(20_000)
    table = lake.table(rows, MULTIPART)
    job = lake.stream(table, rows, per_second=2_000, parallelism=1).runs().has_checkpoints(2)
    with lake.faults.holding("commit-before-complete") as held:
        wait_for("a writer before a completion", held)
        # versitygw 1.8.0 loses the object whose completion it's killed in: its own loss, and no test of ours.
        wait_for(
            "the end of the completions that are under way", lambda: lake.faults.no_completion_is_under_way(f"{table.name}/")
        )
        completed = lake.cluster.jobs.checkpoints(job.id)["counts"]
        server.kill()
    try:
        job.waits_for(
            "a checkpoint or the job to notice",
            lambda: job.failures() or lake.cluster.jobs.checkpoints(job.id)["counts"] != completed,
        )
    finally:
        server.restart()
    job.runs_or_ended().finishes()
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())


@pytest.mark.parametrize("trigger", ["process-time", "partition-time"])
def test_stop_with_savepoint_and_restore(lake: Lake, trigger: str) -> None:
    """A job that is stopped, then started again from its savepoint, lands each row once and every `_SUCCESS`."""
    rows = Rows(40_000, per_day=1_500 if trigger == "partition-time" else None)
    table = lake.table(rows, MULTIPART)
    first = lake.stream(table, rows, per_second=2_000, parallelism=2).runs().has_checkpoints(2)
    savepoint = first.stops()
    stopped = table.listing()
    assert stopped.data, "what the savepoint covers is visible when the job has stopped"
    assert not stopped.uploads, "and nothing is left open"
    if trigger == "partition-time":
        assert max(each.partition for each in stopped.data) not in stopped.success, "without drain no unfinished day is committed"
    lake.stream(table, rows, parallelism=2, savepoint=savepoint).finishes()
    table.audit(rows.expected(), rows.paths())


def test_rescale_2_3_1(lake: Lake) -> None:
    """One stream over three jobs of different parallelism: state of any subtask is taken over by any other."""
    rows = Rows(60_000, per_day=5_000)
    table = lake.table(rows, MULTIPART)
    savepoint = None
    for parallelism in (2, 3):
        job = lake.stream(table, rows, per_second=2_000, parallelism=parallelism, savepoint=savepoint)
        savepoint = job.runs().has_checkpoints(2).stops()
    lake.stream(table, rows, parallelism=1, savepoint=savepoint).finishes()
    table.audit(rows.expected(), rows.paths())


def test_rescale_of_a_savepoint_with_pending_files(lake: Lake) -> None:
    """A savepoint of a running job names uploads; a job with another parallelism that starts from it completes them, and I10 holds."""
    rows = Rows(40_000)
    table = lake.table(rows, MULTIPART)
    job = lake.stream(table, rows, per_second=2_000, parallelism=2).runs().has_checkpoints(1)
    with lake.faults.hold("commit-before-complete") as reached:
        reached()
        for writer in job.writers():
            job.kills(writer)
        job.cancels()
    checkpoint = lake.cluster.latest_checkpoint(job.id)
    lake.stream(table, rows, parallelism=3, savepoint=checkpoint.as_uri()).finishes()
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())


@pytest.mark.parametrize("drain", [True, False])
def test_stop_with_savepoint(lake: Lake, drain: bool) -> None:
    """Stopping makes visible exactly what was read. Drain also ends event time, and so commits the last day."""
    rows = Rows(100_000, per_day=2_000)
    table = lake.table(rows, MULTIPART)
    job = lake.stream(table, rows, per_second=2_000, parallelism=1, settings={"pipeline.operator-chaining.enabled": "false"})
    job.runs().has_checkpoints(3).waits_for("a committed day", lambda: table.listing().success).stops(drain=drain)
    read = rows.first(job.rows_read())
    days = read.paths()
    committed = days if drain else table.listing().success.keys() & (days - {max(days)})
    assert committed, "days that were over when the job stopped are committed"
    table.audit(read.expected(), committed)


@pytest.mark.timeout(1_800)  # for slow machines; it takes three minutes
@pytest.mark.thorough
def test_fifty_restarts_into_one_partition(stage: Callable[..., Stage]) -> None:
    """Every attempt begins its names and counters anew, and all write into one partition: no name comes twice, no row is lost."""
    here = stage(BRIDGE)
    job = here.starts()
    for number in range(50):
        # One checkpoint commits the rows of every second attempt; the others' are completed by the next restore, or read again.
        here.feeds(range(number * 10, number * 10 + 10), "2024-01-01")
        if number % 2:
            here.checkpoints(1)
        if number % 3:
            here.fails_over()
        else:
            job.waits_for("the end of the last attempt's writers", lambda: len(job.writers()) == 2)
            job.kill_writer(job.writers()[0])
    assert here.lake.cluster.jobs.restarts(job.id) >= 50, "each round had its restart"
    here.checkpoints(1)
    here.ends()
