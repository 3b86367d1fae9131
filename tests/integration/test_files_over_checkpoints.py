"""Parquet files that go on over checkpoints ('sink.rolling-policy.roll-on-checkpoint' = 'false'), in jobs that are hit in the middle of them."""

import json

from tests.integration.lake import Lake
from tests.integration.rows import Rows

GOES_ON = {"sink.rolling-policy.roll-on-checkpoint": "false", "sink.upload.inline-threshold": "0 b"}
IN_PARTS = {
    **GOES_ON,
    "sink.upload.part-size": "5 mb",
    "parquet.compression": "UNCOMPRESSED",
    # Without a delay every checkpoint commits every partition, and so ends its files.
    "sink.partition-commit.delay": "1 h",
}


def test_files_end_with_their_day_and_not_with_a_checkpoint(lake: Lake) -> None:
    """Many checkpoints, a file a day and subtask: it ends when the watermark commits its day, never after `_SUCCESS` (I5)."""
    rows = Rows(24_000, per_day=8_000)
    table = lake.table(rows, GOES_ON)
    job = lake.stream(table, rows, per_second=2_000, parallelism=2, checkpoint="300 ms")
    job.runs().has_checkpoints(4)
    operators = job.operators()
    assert "BridgeFileWriter" in operators, "the bridge writes"
    assert "BridgeFileWriter (Flink's format)" not in operators, "and pyarrow encodes: Flink's own format couldn't go on"
    job.finishes()
    checkpoints = lake.cluster.jobs.completed_checkpoints(job.id)
    assert checkpoints >= 10, "there were many barriers"
    assert len(table.listing().data) <= 2 * 3, "a file a subtask and day"
    table.audit(rows.expected(), rows.paths())


def test_a_writer_killed_in_the_middle_of_a_file(lake: Lake) -> None:
    """The restored job ends the open files where the last checkpoint left them, with parts that were sent long before; rows after it come again."""
    rows = Rows(3_000, partitions=2, fat=1000)
    table = lake.table(rows, IN_PARTS)
    job = lake.stream(table, rows, per_second=250, parallelism=2, checkpoint="500 ms")
    job.runs().waits_for("parts of a file that goes on", lambda: len(lake.faults.reached("after-part")) >= 3).has_checkpoints(2)
    assert not table.listing().data, "no file has ended yet"
    job.kill_writer(job.some_writers(2)[0])
    job.waits_for("the files that the restore has ended", lambda: table.listing().data)
    job.finishes()
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())
    (counted,) = lake.select(table.ddl, "SELECT COUNT(*), COUNT(DISTINCT id), MAX(id) FROM sink")
    assert json.dumps(counted) == json.dumps([3_000, 3_000, 2_999]), "Flink reads what stretches, restores and tails have made"


def test_a_rescale_in_the_middle_of_files(lake: Lake) -> None:
    """Open files of a retained checkpoint are ended by whichever subtask gets them; nothing of them is read twice."""
    rows = Rows(3_000, partitions=2, fat=1000)
    table = lake.table(rows, IN_PARTS)
    job = lake.stream(table, rows, per_second=250, parallelism=2, checkpoint="500 ms")
    job.runs().waits_for("parts of a file that goes on", lambda: len(lake.faults.reached("after-part")) >= 3).has_checkpoints(2)
    job.cancels()
    assert not table.listing().data, "all files were open"
    checkpoint = lake.cluster.latest_checkpoint(job.id)
    lake.stream(table, rows, parallelism=3, savepoint=checkpoint.as_uri()).finishes()
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())
