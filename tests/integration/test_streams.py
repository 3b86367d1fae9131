"""Streams without a fault: each kind of job lands each row once and each `_SUCCESS` when it's due."""

import re
from pathlib import Path

import pytest

from tests.integration.jobs import Job
from tests.integration.lake import BRIDGE, STOCK, Lake, Table
from tests.integration.rows import Rows

CONNECTORS = pytest.mark.parametrize("connector", [STOCK, BRIDGE])
EVEN_NUMBERS = re.compile(r"-0-\d+[^/]*$")
"""Files of subtask 0, whose share of a sequence from 0 over two subtasks are the even numbers."""


@CONNECTORS
@pytest.mark.parametrize("parallelism", [1, 2])
def test_bounded_input_by_process_time(lake: Lake, connector: str, parallelism: int) -> None:
    """A job that runs out of input commits every partition; Flink's own sink is the control of the audit."""
    rows = Rows(20_000)
    table = lake.table(rows, connector=connector)
    lake.stream(table, rows, per_second=10_000, parallelism=parallelism).finishes()
    table.audit(rows.expected(), rows.paths())


def waiting_for_the_delay(job: Job) -> float:
    """Partitions with visible files: a day is committed when it's over by the watermark, and so has the delay of a day."""
    committer = str(job.vertex("PartitionCommitter")["id"])
    return job.metric(committer, "PartitionCommitter.partitionsWaitingForDelay")


@CONNECTORS
def test_days_by_event_time(lake: Lake, connector: str) -> None:
    """While the job runs, days behind the watermark are committed and the current day is not; at the end all are."""
    rows = Rows(40_000, per_day=2_000)
    table = lake.table(rows, connector=connector)
    job = lake.stream(table, rows, per_second=2_000, parallelism=2)
    job.waits_for("the first committed days", lambda: len(table.listing().success) >= 3)
    running = table.listing()
    newest = max(each.partition for each in running.data)
    assert newest not in running.success, "the watermark has not passed the end of the day that is being written"
    if connector == BRIDGE:
        job.waits_for("a metric that says so", lambda: waiting_for_the_delay(job) >= 1)
        said = re.findall(
            r" wait: \d+ for 'sink.partition-commit.delay', which is PT24H, by the watermark, which is 2024-",
            lake.cluster.logged("*taskexecutor*.log"),
        )
        assert said, "and so does the log"
    job.finishes()
    table.audit(rows.expected(), rows.paths())


def one_ends_early(lake: Lake, table: Table, rows: Rows, go: Path) -> Job:
    """A job of two subtasks: odd numbers are soon over, even ones trickle until the file `go` is there."""
    trickles = (
        f"CREATE TEMPORARY FUNCTION trickles AS 'io.partitionbridge.functions.TrickleFunction' USING JAR '{lake.policies}';\n"
    )
    settings = {
        "parallelism.default": "2",
        "execution.checkpointing.interval": "500 ms",
        "restart-strategy.type": "none",
    }
    insert = f"INSERT INTO sink {rows.query} AND trickles(id, '{go}')"
    return lake.insert(trickles + rows.source(1_000_000) + table.ddl, insert, settings)


def test_checkpoints_go_on_when_a_subtask_has_finished(lake: Lake, tmp_path: Path) -> None:
    """One of two writers is through: checkpoints complete, and the other's files go on becoming visible."""
    rows = Rows(10_000)
    table = lake.table(rows)
    job = one_ends_early(lake, table, rows, tmp_path / "go")

    def files_of_the_other() -> int:
        return sum(bool(EVEN_NUMBERS.search(each.key)) for each in table.listing().data)

    # Phase 1: the subtask has finished, of source and writer, and the other has not.
    job.waits_for("the end of one subtask", lambda: job.vertices()[0]["tasks"]["FINISHED"] == 1)
    visible = files_of_the_other()

    # Phase 2: checkpoints and commits go on.
    job.has_checkpoints(4)
    job.waits_for("new files of the other", lambda: files_of_the_other() >= visible + 2)
    tasks = job.vertices()[0]["tasks"]
    assert (tasks["FINISHED"], tasks["RUNNING"]) == (1, 1), "that was with one through and one running"

    # Phase 3: the other one's numbers come at full speed, to the end.
    (tmp_path / "go").touch()
    job.finishes()
    table.audit(rows.expected(), rows.paths())
