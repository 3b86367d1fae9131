"""Checkpoints that fail, overlap or come beside others, and where Flink keeps them. Each ends with the audit."""

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integration.jobs import Job
from tests.integration.lake import BRIDGE, BUCKET, MULTIPART, Lake
from tests.integration.rows import Rows
from tests.integration.stage import GATED, NO_CHECKPOINTS_BY_THEMSELVES, Stage
from tests.support.feed import Feed
from tests.support.rest import RestFailed
from tests.support.servers import S3Server

MIB = 1 << 20
SHORT = {"execution.checkpointing.timeout": "3 s", "execution.checkpointing.tolerable-failed-checkpoints": "100"}
MERGED = "execution.checkpointing.file-merging.enabled"
FIRST, SECOND = "2024-01-01", "2024-01-02"


def completes(job: Job) -> bool:
    """Whether a checkpoint that is asked for now completes: a short timeout strikes where nothing is wrong, on a busy machine."""
    try:
        job.takes_checkpoint()
    except RestFailed:
        return False
    return True


@contextmanager
def frozen(server: S3Server) -> Iterator[None]:
    """While in it, the store takes connections and answers nothing."""
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.process.pid, signal.SIGCONT)


def test_a_checkpoint_that_times_out_is_made_up_for(stage: Callable[..., Stage], lake: Lake) -> None:
    """One subtask is too late for a checkpoint: what the other one had sealed for it becomes visible with the next, once."""
    here = stage(BRIDGE, MULTIPART)
    job = here.starts(source=2, writers=2, settings=SHORT)
    (late,) = here.marks(1)
    here.gates.holds(late)
    here.writes([*here.data(range(10), FIRST), late])
    here.gates.waits_for_reached(late)
    here.feeds(range(10, 20), SECOND)
    request = job.asks_for_checkpoint()
    with pytest.raises(RestFailed, match="expired"):
        lake.cluster.jobs.checkpoint(job.id, request)
    assert not here.visible(), "a checkpoint that failed publishes nothing (I2)"
    here.gates.releases(late)
    here.feeds(range(20, 30), FIRST)
    job.waits_for("a later checkpoint", lambda: completes(job))
    job.waits_for("its files", lambda: here.visible().total() == 30)
    job.waits_for("the announcement of what only the first had", lambda: here.is_committed(SECOND))
    assert job.failures() == 0, "the job went on"
    here.ends()


def test_a_checkpoint_that_another_operator_declines(stage: Callable[..., Stage], lake: Lake) -> None:
    """An operator beside the writers has more state than the storage takes, for a while: nothing shows until a checkpoint completes."""
    here = stage(BRIDGE, MULTIPART)
    last = "SELECT p, LAST_VALUE(REPEAT('x', CAST(id AS INT))) FROM watched WHERE id >= 0 GROUP BY p"
    hole = "CREATE TEMPORARY TABLE hole (p STRING, v STRING) WITH ('connector' = 'blackhole');\n"
    on_jobmanager = {"execution.checkpointing.storage": "jobmanager"}
    settings = {**on_jobmanager, "execution.checkpointing.tolerable-failed-checkpoints": "100"}
    job = here.starts(also=(hole, f"INSERT INTO hole {last}"), settings=settings)
    sources = [each["name"] for each in job.vertices() if "watched" in each["name"]]
    assert len(sources) == 1, "both read the same source, so what is fed is ahead of the barrier on both ways"
    here.feeds(range(10), FIRST)
    here.feeds([6 * MIB], FIRST)
    request = job.asks_for_checkpoint()
    with pytest.raises(RestFailed, match="larger than the maximum permitted memory-backed state"):
        lake.cluster.jobs.checkpoint(job.id, request)
    assert not here.visible(), "a checkpoint that one operator has declined publishes nothing of the others (I2)"
    here.feeds(range(10, 20), FIRST)
    here.checkpoints()
    assert here.visible().total() == 21, "what was sealed for it comes with the next one, once"
    assert job.failures() == 0, "the job went on"
    here.ends()


def test_small_files_fit_into_the_jobmanagers_memory(lake: Lake, tmp_path: Path) -> None:
    """With JobManager checkpoint storage, which takes 5 MiB a state, small files beyond 4 MiB are uploads."""
    rows = Rows(600, partitions=30, fat=1000)
    table = lake.table(rows, {"parquet.compression": "UNCOMPRESSED"})
    feed = Feed(tmp_path / "inbox")
    settings = {"execution.checkpointing.storage": "jobmanager", "pipeline.operator-chaining.enabled": "false"}
    given = {"parallelism.default": "1", **NO_CHECKPOINTS_BY_THEMSELVES, **settings}
    job = lake.insert(rows.watched(feed.inbox) + table.ddl, f"INSERT INTO sink {rows.query}", given)
    feed.drop(rows.count)
    job.waits_for("all rows to be read", lambda: job.runs().rows_read() >= rows.count)
    job.takes_checkpoint()
    size = int(lake.cluster.jobs.checkpoints(job.id)["latest"]["completed"]["state_size"])
    job.stops(drain=True)

    sizes = [each.size for each in table.listing().data]
    assert len(sizes) == rows.partitions, "one checkpoint has all files"
    assert max(sizes) < MIB, "each is small enough for the state"
    assert sum(sizes) > 8 * MIB, "all together aren't"
    assert 3 * MIB < size < 5 * MIB, "so some travel in it, and not all"
    table.audit(rows.expected(), rows.paths())


def test_a_store_that_hangs_past_the_checkpoint_timeout(stage: Callable[..., Stage], lake: Lake, server: S3Server) -> None:
    """A checkpoint expires while its upload gets no answer: Flink's one thread for such work is let go, and later checkpoints complete."""
    here = stage(BRIDGE, MULTIPART)
    job = here.starts(settings=SHORT)
    here.feeds(range(10), FIRST)
    with frozen(server):
        request = job.asks_for_checkpoint()
        with pytest.raises(RestFailed, match="expired"):
            lake.cluster.jobs.checkpoint(job.id, request)
    job.waits_for("a later checkpoint", lambda: completes(job))
    here.feeds(range(10, 20), SECOND)
    job.waits_for("one more", lambda: completes(job))
    job.waits_for("their files", lambda: here.visible().total() == 20)
    here.ends()


def test_concurrent_checkpoints(stage: Callable[..., Stage], lake: Lake) -> None:
    """Three checkpoints are under way at once, with rows between them: each row becomes visible once."""
    here = stage(BRIDGE, MULTIPART)
    settings = {"execution.checkpointing.max-concurrent-checkpoints": "3", "execution.checkpointing.min-pause": "0 ms"}
    job = here.starts(source=2, writers=2, settings=settings)
    (late,) = here.marks(1)
    here.gates.holds(late)
    here.writes([*here.data(range(10), FIRST), late])
    here.gates.waits_for_reached(late)
    requests = []
    for number in range(1, 4):
        here.feeds(range(number * 10, number * 10 + 10), FIRST)
        requests.append(job.asks_for_checkpoint())
    job.waits_for("three at once", lambda: lake.cluster.jobs.checkpoints(job.id)["counts"]["in_progress"] == 3)
    here.gates.releases(late)
    lake.cluster.jobs.checkpoint(job.id, requests[-1])
    job.waits_for("their files", lambda: here.visible().total() == 40)
    here.ends()


def test_a_savepoint_beside_a_checkpoint(stage: Callable[..., Stage], lake: Lake) -> None:
    """A savepoint is taken while a checkpoint is under way: the job goes on, and another one can start from the savepoint."""
    here = stage(BRIDGE, {"format": "json", **GATED})
    job = here.starts(source=2, writers=2)
    (late,) = here.marks(1)
    here.gates.holds(late)
    here.feeds(range(10), FIRST)
    here.writes([*here.data(range(10, 20), FIRST), late])
    here.gates.waits_for_reached(late)
    request = job.asks_for_checkpoint()
    savepoint = lake.cluster.jobs.trigger_savepoint(job.id, lake.cluster.savepoints.as_uri())
    job.waits_for("both at once", lambda: lake.cluster.jobs.checkpoints(job.id)["counts"]["in_progress"] == 2)
    here.gates.releases(late)
    lake.cluster.jobs.checkpoint(job.id, request)
    path = lake.cluster.jobs.savepoint_path(job.id, savepoint)
    here.feeds(range(20, 30), SECOND)
    here.checkpoints()
    job.stops(drain=True)
    here.audits()

    here.starts(source=1, writers=3, savepoint=path).waits_for("the rest", lambda: here.visible()[20] + here.visible()[29] >= 2)
    here.checkpoints()
    here.job.stops(drain=True)
    here.audits(surplus=[row for row in here.rows if row[1] == SECOND])


NOTHING_INLINE = {"execution.checkpointing.data-inline-threshold": "0 b"}
"""Else Flink keeps state as small as the tests' in the checkpoint's metadata."""

IN_FORCE: dict[str, tuple[dict[str, str], dict[str, object]]] = {
    "heap": ({"state.backend.type": "hashmap"}, {"state_backend": "HashMapStateBackend"}),
    "rocksdb": (
        {"state.backend.type": "rocksdb", "execution.checkpointing.incremental": "true"},
        {"state_backend": "EmbeddedRocksDBStateBackend"},
    ),
    "changelog": ({"state.changelog.enabled": "true", "state.backend.type": "hashmap"}, {"state_changelog_enabled": True}),
    "checkpoints on s3": (
        {**NOTHING_INLINE, "execution.checkpointing.dir": f"s3://{BUCKET}-checkpoints/of-a-test"},
        {"checkpoint_storage": "FileSystemCheckpointStorage"},
    ),
    "merged files": ({**NOTHING_INLINE, MERGED: "true"}, {}),
    "jobmanager": ({"execution.checkpointing.storage": "jobmanager"}, {"checkpoint_storage": "JobManagerCheckpointStorage"}),
}
"""What is set, and what Flink then says of the job."""


def merged_files(lake: Lake, job: Job) -> list[Path]:
    """Files that hold the state of several subtasks, beside a checkpoint that has nothing but its metadata."""
    checkpoint = lake.cluster.latest_checkpoint(job.id)
    assert [each.name for each in checkpoint.iterdir()] == ["_metadata"], "no subtask has a file of its own"
    return [each for each in (checkpoint.parent / "taskowned").rglob("*") if each.is_file() and each.stat().st_size]


@pytest.mark.parametrize(("settings", "told"), IN_FORCE.values(), ids=IN_FORCE)
def test_where_flink_keeps_its_state(
    stage: Callable[..., Stage], lake: Lake, server: S3Server, settings: dict[str, str], told: dict[str, object]
) -> None:
    """With each state backend and checkpoint storage a restored job completes what its checkpoint names and nobody else knows of."""
    if "execution.checkpointing.dir" in settings:
        server.create_bucket(f"{BUCKET}-checkpoints")
    here = stage(BRIDGE, MULTIPART)
    job = here.starts(settings=settings)
    in_force = lake.cluster.jobs.get(f"/jobs/{job.id}/checkpoints/config")
    assert told.items() <= in_force.items(), f"the setting is in force: {in_force}"
    here.feeds(range(10), FIRST)

    # Phase 1: the checkpoint is complete, and all writers die before the first completion.
    with lake.faults.hold("commit-before-complete") as committing:
        job.takes_checkpoint()
        committing()
        begun = {each.upload_id for each in here.table.listing().uploads}
        assert begun, "there is something to complete"
        assert not here.visible(), "nothing has been"
        if MERGED in settings:
            assert merged_files(lake, job), "merging is in force"
        failures = job.failures()
        for writer in job.writers():
            job.kills(writer)

    # Phase 2: all that is known of these uploads is Flink's state.
    job.fails_over(failures)
    assert here.visible() == Counter(range(10)), "a restore ends when its files are visible"
    completed = {each.facts["upload_id"] for each in lake.faults.reached("restore-after-complete")}
    assert completed == begun, "the very uploads that the checkpoint names"
    here.feeds(range(10, 20), SECOND)
    here.checkpoints()
    here.ends()


def test_cancel_without_a_savepoint(stage: Callable[..., Stage], lake: Lake) -> None:
    """Cancelling publishes nothing beyond the last checkpoint; the rows after it come with the job that starts from there."""
    here = stage(BRIDGE, MULTIPART)
    job = here.starts()
    here.feeds(range(10), FIRST)
    here.checkpoints()
    here.feeds(range(10, 20), SECOND)
    job.cancels()
    assert set(here.visible()) == set(range(10)), "what no checkpoint covers stays invisible (I2)"
    here.starts(savepoint=lake.cluster.latest_checkpoint(job.id).as_uri())
    here.feeds(range(20, 30), SECOND)
    here.ends()


def test_unaligned_checkpoint_under_back_pressure_and_rescale(lake: Lake) -> None:
    """Writers that are held back leave rows on the way to them in the checkpoint: a job with more writers takes these over, too."""
    rows = Rows(30_000, fat=128)
    table = lake.table(rows, {**MULTIPART, "format": "json", "sink.writer.memory": "20 mb", "sink.parallelism": "2"})
    unaligned = {"execution.checkpointing.unaligned.enabled": "true"}

    # Phase 1: no part is sent, so writers stop, and so do those before them. No commit ends, so neither does the job.
    with lake.faults.hold("commit-before-complete"):
        with lake.faults.hold("before-part"):
            job = lake.stream(table, rows, checkpoint=None, settings={**unaligned, **NO_CHECKPOINTS_BY_THEMSELVES}).runs()
            job.waits_for("back-pressure", lambda: lake.cluster.jobs.backpressured(job.id, job.vertices()[0]["id"]))
            request = job.asks_for_checkpoint()
        lake.cluster.jobs.checkpoint(job.id, request)
        job.cancels()
    assert lake.cluster.jobs.checkpoints(job.id)["latest"]["completed"]["persisted_data"] > 0, "rows were on the way"

    # Phase 2: three writers go on.
    table.options["sink.parallelism"] = "3"
    checkpoint = lake.cluster.latest_checkpoint(job.id).as_uri()
    lake.stream(table, rows, savepoint=checkpoint, settings=unaligned).finishes()
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())
