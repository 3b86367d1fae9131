"""Checkpoints and savepoints that are restored late, twice, with other settings or with a part of their state. Each ends with the audit."""

from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa
import pytest

from tests.integration.lake import BRIDGE, BUCKET, MULTIPART, STOCK, Lake, Table
from tests.integration.rows import Rows
from tests.integration.stage import BY_TIME, COLUMNS, IGNORING, Stage, path_of
from tests.support.rest import RestFailed
from tests.support.servers import S3Server

POLICY = "sink.partition-commit.policy.kind"
FIRST, SECOND, THIRD = "2024-01-01", "2024-01-02", "2024-01-03"


def test_a_checkpoint_that_is_restored_twice(stage: Callable[..., Stage], lake: Lake) -> None:
    """A second job starts from a checkpoint whose files the first one has completed, with more after them: each stays as it is."""
    here = stage(BRIDGE, MULTIPART)
    inline = Table(here.lake.server, f"{here.table.name}-inline", COLUMNS, options={"sink.parallelism": "1"})
    job = here.starts(beside=inline)
    here.feeds(range(10), FIRST)
    here.checkpoints(1)
    job.cancels()
    checkpoint = lake.cluster.latest_checkpoint(job.id).as_uri()

    # The first to go on from there commits another day.
    job = here.starts(beside=inline, savepoint=checkpoint)
    here.feeds(range(10, 20), SECOND)
    here.checkpoints()
    job.cancels()
    before = {**here.table.objects(), **inline.objects()}
    assert {each.partition for each in before.values()} == {f"p={FIRST}/", f"p={SECOND}/"}, "both days are visible"

    # So does the second, which reads that day's rows again.
    job = here.starts(beside=inline, savepoint=checkpoint)
    here.feeds(range(20, 30), THIRD)
    here.checkpoints()
    after = {**here.table.objects(), **inline.objects()}
    assert after.items() >= before.items(), "no object was written again or taken away (I10)"
    job.stops(drain=True)
    again = [row for row in here.rows if row[1] == SECOND]
    here.audits(surplus=again)
    inline.audit(here.expected([*here.rows, *again]), {f"p={day}/" for day in (FIRST, SECOND, THIRD)})


def test_a_checkpoint_whose_open_file_has_grown(stage: Callable[..., Stage], lake: Lake) -> None:
    """A row format's file was open at the checkpoint and got more rows before it was completed: whoever goes back to that checkpoint
    finds the whole file, leaves it as it is and says so; the rows after the checkpoint are there twice.
    """
    here = stage(BRIDGE, {"format": "json", **BY_TIME})
    job = here.starts(writers=1)
    here.feeds(range(10), FIRST)
    here.checkpoints(1)
    checkpoint = lake.cluster.latest_checkpoint(job.id).as_uri()
    here.feeds(range(10, 20), FIRST)
    here.checkpoints(1)
    assert not here.visible(), "the file is open at both"
    lake.cluster.jobs.savepoint(job.id, lake.cluster.savepoints.as_uri())
    here.checkpoints()
    job.cancels()
    (key, grown), *others = here.table.objects().items()
    assert not others, "the savepoint has ended it"
    assert set(here.visible()) == set(range(20)), "with the rows of both"

    here.starts(writers=1, savepoint=checkpoint)
    assert here.table.objects() == {key: grown}, "nothing was written over (I10)"
    here.checkpoints(1)
    here.ends(surplus=here.rows[10:])
    logs = lake.cluster.logged("taskmanager*")
    assert f"s3://{BUCKET}/{key} has more than the 10 rows" in logs, "whoever reads the log learns of it"


def test_an_upload_that_is_gone(stage: Callable[..., Stage], lake: Lake) -> None:
    """One of two uploads that the checkpoint names was aborted: the job ends and tells all there is to know; where the table is told to
    go on, its rows are the only ones that are missing, and are counted.
    """
    here = stage(BRIDGE, MULTIPART)
    with lake.faults.hold("commit-before-complete") as reached:
        job = here.starts(writers=1)
        here.feeds(range(10), FIRST)
        here.feeds(range(10, 17), SECOND)
        lake.cluster.jobs.checkpoint(job.id, job.asks_for_checkpoint())
        job.kills(reached())
        job.cancels()
    (gone,) = (each for each in here.table.listing().uploads if FIRST not in each.key)
    lake.server.client().abort_multipart_upload(Bucket=BUCKET, Key=gone.key, UploadId=gone.upload_id)

    # Phase 1: as it is by itself.
    checkpoint = lake.cluster.latest_checkpoint(job.id).as_uri()
    told = [gone.key, f"upload {gone.upload_id}", "7 rows", "of checkpoint 1, created "]
    told += ["AbortIncompleteMultipartUpload", "'sink.restore.missing-upload' = 'skip'"]
    with pytest.raises(RestFailed) as failed:
        here.starts(writers=1, savepoint=checkpoint, settings={"restart-strategy.type": "none"})
    assert [each for each in told if each not in str(failed.value)] == [], f"all there is to know: {failed.value}"

    # Phase 2: told to go on.
    here.table.options["sink.restore.missing-upload"] = "skip"
    job = here.starts(writers=1, savepoint=checkpoint)
    writer = str(job.vertex("BridgeFileWriter")["id"])

    def lost() -> float:
        names = [name for name in lake.cluster.jobs.metric_names(job.id, writer) if name.endswith("rowsLost")]
        return sum(job.metric(writer, name.partition(".")[2]) for name in names)

    job.waits_for("the count of lost rows", lambda: lost() == 7)
    logs = lake.cluster.logged("*taskexecutor*.log")
    assert f"{gone.key}, upload {gone.upload_id}, of checkpoint 1 is lost with its 7 rows" in logs
    here.rows = [row for row in here.rows if row[1] == FIRST]
    here.feeds(range(20, 30), THIRD)
    here.ends()
    assert not here.is_committed(SECOND), "where nothing is, nothing is announced"


def test_a_policy_that_comes_and_goes(stage: Callable[..., Stage]) -> None:
    """The committer of a restored job finds no state of its own, or its state finds no committer: files stay complete, days announced."""
    here = stage(BRIDGE, {**MULTIPART, POLICY: ""})
    here.starts()
    here.feeds(range(10), FIRST)
    savepoint = here.job.stops()
    assert here.visible().total() == 10, "files become visible without a policy, too"
    assert not here.success(), "nobody announces them"

    here.table.options[POLICY] = "success-file"
    job = here.starts(savepoint=savepoint)
    here.feeds(range(10, 20), SECOND)
    here.checkpoints()
    job.waits_for("the days of before and after the savepoint", lambda: here.is_committed(FIRST) and here.is_committed(SECOND))
    savepoint = job.stops()

    here.table.options[POLICY] = ""
    with pytest.raises(RestFailed, match="Cannot map checkpoint/savepoint state"):
        here.starts(savepoint=savepoint)
    here.starts(savepoint=savepoint, settings=IGNORING)
    here.feeds(range(20, 30), THIRD)
    savepoint = here.job.stops()
    assert not here.is_committed(THIRD), "nobody announces what this job has written"

    here.table.options[POLICY] = "success-file"
    here.starts(savepoint=savepoint)
    here.ends()
    assert here.is_committed(THIRD), "until somebody does again"


def test_a_column_that_is_added(stage: Callable[..., Stage], lake: Lake) -> None:
    """Pending and open files of the savepoint end with the columns that they had, and new ones have the new column, too."""
    here = stage(BRIDGE, MULTIPART)
    narrow, wide = "id BIGINT, p STRING", "id BIGINT, extra STRING, p STRING"
    formats = {"parquet": MULTIPART, "json": {"format": "json"}}
    tables = {name: Table(lake.server, f"{here.table.name}-{name}", narrow, options=options) for name, options in formats.items()}

    def inserts(columns: str, query: str) -> tuple[str, str]:
        ddl = "".join(
            replace(table, columns=columns).ddl.replace("TABLE sink", f"TABLE {name}_too") for name, table in tables.items()
        )
        return ddl, ";\n".join(f"INSERT INTO {name}_too {query} FROM watched WHERE id >= 0" for name in tables)

    with lake.faults.hold("commit-before-complete") as reached:
        job = here.starts(writers=1, also=inserts(narrow, "SELECT id, p"))
        here.feeds(range(10), FIRST)
        lake.cluster.jobs.checkpoint(job.id, job.asks_for_checkpoint())
        reached()
        for writer in job.writers():
            job.kills(writer)
        job.cancels()

    checkpoint = lake.cluster.latest_checkpoint(job.id).as_uri()
    job = here.starts(writers=1, savepoint=checkpoint, also=inserts(wide, "SELECT id, CONCAT('x', CAST(id AS STRING)), p"))
    assert [len(table.objects()) for table in tables.values()] == [1, 1], "what the checkpoint names is there"
    here.feeds(range(10, 20), SECOND)
    here.ends()
    for table in tables.values():
        extra = [None if number < 10 else f"x{number}" for number, _ in here.rows]
        expected = here.expected(here.rows).drop_columns("v").append_column("extra", pa.array(extra, pa.string()))
        table.audit(expected, {path_of(FIRST), path_of(SECOND)})


@pytest.mark.parametrize("connector", [STOCK, BRIDGE])
def test_a_path_that_changes(stage: Callable[..., Stage], lake: Lake, connector: str) -> None:
    """Files of the savepoint end where they were begun, and their day is announced where the table is now: on both sinks."""
    here = stage(connector, MULTIPART)
    job = here.starts()
    here.feeds(range(10), FIRST)
    # This one completes nothing.
    savepoint = lake.cluster.jobs.savepoint(job.id, lake.cluster.savepoints.as_uri())
    job.cancels()
    old, moved = here.table, replace(here.table, name=f"{here.table.name}-moved")
    assert old.listing().uploads, "the savepoint names a file that isn't complete"
    assert not here.visible()

    here.table = moved
    here.starts(savepoint=savepoint)
    assert not old.listing().uploads, "completed where it was begun"
    here.feeds(range(10, 20), SECOND)
    here.job.stops(drain=True)
    assert here.is_committed(FIRST), "what was restored is announced where the table is now: a reason to drain first"
    assert set(here.visible()) == set(range(10, 20)), "with none of its rows"
    moved.audit(here.expected(here.rows[10:]), {path_of(FIRST), path_of(SECOND)})
    old.audit(here.expected(here.rows[:10]), set())


def test_a_bucket_with_object_lock(lake: Lake, server: S3Server) -> None:
    """No object can be removed for a day: rows land, a killed writer's files are completed, its open uploads can be aborted."""
    server.create_locked_bucket("kept")
    rows = Rows(10_000)
    table = replace(lake.table(rows, MULTIPART), bucket="kept")
    with lake.faults.hold("commit-after-complete") as reached:
        job = lake.stream(table, rows, per_second=2_500)
        job.kill_writer(reached())
    job.finishes()
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())
    versions = server.client().list_object_versions(Bucket="kept", Prefix=f"{table.name}/")
    keys = [each["Key"] for each in versions["Versions"] if not each["Key"].endswith(("_SUCCESS", "/"))]
    assert len(keys) == len(set(keys)), "no data object was written twice (I10)"
    assert not versions.get("DeleteMarkers"), "and none removed"
