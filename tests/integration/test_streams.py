"""Streams without a fault: each kind of job lands each row once and each `_SUCCESS` when it's due."""

import pytest

from tests.integration.lake import BRIDGE, STOCK, Lake
from tests.integration.rows import Rows

CONNECTORS = pytest.mark.parametrize("connector", [STOCK, BRIDGE])


@CONNECTORS
@pytest.mark.parametrize("parallelism", [1, 2])
def test_bounded_input_by_process_time(lake: Lake, connector: str, parallelism: int) -> None:
    """A job that runs out of input commits every partition; Flink's own sink is the control of the audit."""
    rows = Rows(20_000)
    table = lake.table(rows, connector=connector)
    lake.stream(table, rows, per_second=10_000, parallelism=parallelism).finishes()
    table.audit(rows.expected(), rows.paths())


@CONNECTORS
def test_days_by_event_time(lake: Lake, connector: str) -> None:
    """While the job runs, days behind the watermark are committed and the current day is not; at the end all are."""
    rows = Rows(20_000, per_day=1_000)
    table = lake.table(rows, connector=connector)
    job = lake.stream(table, rows, per_second=2_000, parallelism=2)
    job.waits_for("the first committed days", lambda: len(table.listing().success) >= 3)
    running = table.listing()
    newest = max(each.partition for each in running.data)
    assert newest not in running.success, "the watermark has not passed the end of the day that is being written"
    job.finishes()
    table.audit(rows.expected(), rows.paths())
