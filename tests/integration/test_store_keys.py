"""Keys of Flink's configuration, as a cluster's administrator sets them, in jobs: what Flink's own sink does with them, the bridge does."""

import pytest

from tests.integration.lake import BRIDGE, STOCK, Lake
from tests.integration.rows import Rows
from tests.support.job_fixtures import ENTROPY


@pytest.mark.parametrize("connector", [STOCK, BRIDGE])
def test_entropy_is_for_checkpoints(lake: Lake, connector: str) -> None:
    """A table's path that holds the text of `s3.entropy.key` is taken as it is, by both sinks: Flink replaces it in checkpoints only."""
    rows = Rows(2_000)
    table = lake.table(rows, connector=connector)
    table.name += f"/{ENTROPY}/t"
    lake.stream(table, rows).finishes()
    report = table.audit(rows.expected(), rows.paths())
    assert report.data_objects > 0, "the audit looks under the path as the DDL has it"
