"""H15: an INSERT OVERWRITE that fails while it commits."""

from collections.abc import Callable

from tests.integration.lake import STOCK, Lake
from tests.integration.stage import GATED, Stage

DAYS = ("2024-01-01", "2024-01-02")


def overwrite(lake: Lake, here: Stage, base: int) -> str:
    """Run INSERT OVERWRITE of one row a day, numbered from `base`; the state that its job ends in."""
    values = ", ".join(f"(CAST({base + number} AS BIGINT), 'v', '{day}')" for number, day in enumerate(DAYS))
    settings = {"execution.runtime-mode": "batch", "restart-strategy.type": "none"}
    job = lake.insert(here.table.ddl, f"INSERT OVERWRITE sink VALUES {values}", settings)
    return lake.cluster.jobs.wait(job.id)


def test_h15_a_failed_overwrite_leaves_half_of_it(stage: Callable[..., Stage], lake: Lake) -> None:
    """Flink's sink replaces partition after partition: a policy that throws leaves the first one new and the other one old."""
    here = stage(STOCK, GATED)
    assert overwrite(lake, here, 10) == "FINISHED"
    here.gates.fails("call3")
    assert overwrite(lake, here, 20) == "FAILED", "the first of this job's calls of the policy threw"
    assert here.visible().total() == 2, "a row a day"
    assert set(here.visible()) not in ({10, 11}, {20, 21}), "neither the old table nor the new one"
