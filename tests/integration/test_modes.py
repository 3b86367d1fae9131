"""The ways in which a job can be set up: chained or not, checkpointed or not, partitioned or not, with rows or none."""

import pytest

from tests.integration.lake import Lake
from tests.integration.rows import Rows


@pytest.mark.parametrize("chaining", ["true", "false"])
@pytest.mark.parametrize("checkpoint", ["500 ms", None])
@pytest.mark.parametrize("parallelism", [1, 2])
def test_chaining_and_checkpointing(lake: Lake, chaining: str, checkpoint: str | None, parallelism: int) -> None:
    """Bounded input ends with every row and every `_SUCCESS`, however tasks are cut and with or without checkpoints."""
    rows = Rows(10_000)
    table = lake.table(rows)
    settings = {"pipeline.operator-chaining.enabled": chaining}
    lake.stream(table, rows, per_second=10_000, parallelism=parallelism, checkpoint=checkpoint, settings=settings).finishes()
    table.audit(rows.expected(), rows.paths())


@pytest.mark.parametrize("final", ["true", "false"])
def test_checkpoint_interval_longer_than_the_job(lake: Lake, final: str) -> None:
    """The final checkpoint, or with `checkpoints-after-tasks-finish` off the end of input, completes everything."""
    rows = Rows(10_000)
    table = lake.table(rows)
    settings = {"execution.checkpointing.checkpoints-after-tasks-finish.enabled": final}
    lake.stream(table, rows, parallelism=2, checkpoint="1 h", settings=settings).finishes()
    table.audit(rows.expected(), rows.paths())


def test_process_time_delay_longer_than_the_job(lake: Lake) -> None:
    """At the end of input partitions are committed whatever their delay, as Flink's sink does."""
    rows = Rows(5_000)
    table = lake.table(rows, {"sink.partition-commit.delay": "1 h"})
    lake.stream(table, rows, parallelism=2).finishes()
    table.audit(rows.expected(), rows.paths())


@pytest.mark.parametrize("checkpoint", ["500 ms", None])
def test_no_rows(lake: Lake, checkpoint: str | None) -> None:
    """A job without rows ends, and leaves neither objects nor uploads."""
    rows = Rows(0)
    table = lake.table(rows)
    lake.stream(table, rows, parallelism=2, checkpoint=checkpoint).finishes()
    report = table.audit(rows.expected(), set())
    assert report.data_objects == 0, "no file without rows"


def test_unpartitioned(lake: Lake) -> None:
    """A table without partitions has its files in its folder and no `_SUCCESS`, as with Flink's sink."""
    rows = Rows(10_000)
    table = lake.table(rows, partition="")
    lake.stream(table, rows, per_second=5_000, parallelism=2).finishes()
    table.audit(rows.expected(), set())
