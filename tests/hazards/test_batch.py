"""H15: an INSERT OVERWRITE that fails while it commits."""

from collections.abc import Callable

import pytest

from tests.integration.lake import BRIDGE, BUCKET, STOCK, Lake
from tests.integration.stage import GATED, Stage

DAYS = ("2024-01-01", "2024-01-02")


def overwrite(lake: Lake, here: Stage, base: int) -> str:
    """Run INSERT OVERWRITE of one row a day, numbered from `base`; the state that its job ends in."""
    values = ", ".join(f"(CAST({base + number} AS BIGINT), 'v{base + number}', '{day}')" for number, day in enumerate(DAYS))
    settings = {"execution.runtime-mode": "batch", "restart-strategy.type": "none"}
    job = lake.insert(here.table.ddl, f"INSERT OVERWRITE sink VALUES {values}", settings)
    return lake.cluster.jobs.wait(job.id)


@pytest.mark.parametrize("connector", [STOCK, BRIDGE])
def test_h15_a_failed_overwrite(stage: Callable[..., Stage], lake: Lake, connector: str) -> None:
    """Flink's sink replaces partition after partition: a policy that throws leaves the first one new and the other one old. The
    bridge calls policies when every file is new, so rows are the new ones, and what isn't announced has no success file.
    """
    here = stage(connector, GATED)
    assert overwrite(lake, here, 10) == "FINISHED"
    here.gates.fails("call3")
    assert overwrite(lake, here, 20) == "FAILED", "the first of this job's calls of the policy threw"
    assert here.visible().total() == 2, "a row a day"
    if here.is_flinks:
        assert set(here.visible()) not in ({10, 11}, {20, 21}), "neither the old table nor the new one"
        return
    assert set(here.visible()) == {20, 21}, "the new table"
    assert not here.success(), "of which nothing is announced: the old success files went first (I5)"
    assert overwrite(lake, here, 30) == "FINISHED", "and the statement can be run again"
    here.rows = [(30 + number, day) for number, day in enumerate(DAYS)]
    (left,) = here.table.listing().strays
    assert ".bridge-insert-" in left.key, "of the job that is dead its list is left, which docs/batch.md says to remove"
    lake.server.client().delete_object(Bucket=BUCKET, Key=left.key)
    here.audits()
