"""Reports that are in flight at an unaligned checkpoint, and a restore with another parallelism: hazards H4 and H10."""

from collections.abc import Callable

import pytest

from tests.integration.lake import BRIDGE, STOCK
from tests.integration.stage import GATED, Stage

BOTH = pytest.mark.parametrize("connector", [STOCK, BRIDGE])
FIRST, SECOND = "2024-01-01", "2024-01-02"
OVER_AT_ONCE = {
    "sink.partition-commit.trigger": "partition-time",
    "partition.time-extractor.timestamp-pattern": "1960-01-01 00:00:00",
}
"""By event time, and every partition's is over with the first watermark."""


def stops_with_reports_in_flight(here: Stage, writers: int) -> str:
    """A checkpoint whose state holds the writers' reports of the one before, on their way to the committer; its path.

    The committer is held in its policy, after it has taken part in checkpoint b and before it hears of b's files. To get
    it there the last report of checkpoint a must come after the barrier of b: its writer is held while a completes.
    """
    settings = {
        "execution.checkpointing.unaligned.enabled": "true",
        # Else subtasks that share a file wait for one another.
        "execution.checkpointing.unaligned.max-subtasks-per-channel-state-file": "1",
    }
    job = here.starts(source=writers, writers=writers, settings=settings)
    late, reporter, *each = here.marks(2 + writers)
    here.gates.holds(late, reporter, "call1", *each)
    # Each writer's source reads one row, so that there is a watermark.
    for mark in each:
        here.writes([mark])
        here.gates.waits_for_reached(mark)
    here.gates.releases(*each)
    here.feeds(range(10), FIRST)

    # Phase 1: checkpoint a completes, and one writer that is held doesn't hear of it.
    here.writes([late])
    here.gates.waits_for_reached(late)
    a = here.asks_for_checkpoint(acknowledged=writers - 1)
    here.writes([reporter])
    here.gates.waits_for_reached(reporter)
    here.gates.releases(late)
    here.lake.cluster.jobs.checkpoint(job.id, a)

    # Phase 2: that writer's barrier of b goes before its report of a, which has the committer call its policy.
    here.feeds(range(10, 20), FIRST)
    b = here.asks_for_checkpoint(acknowledged=writers - 1)
    here.gates.releases(reporter)
    here.lake.cluster.jobs.checkpoint(job.id, b)
    here.gates.waits_for_reached("call1")
    job.waits_for("the files of b", lambda: here.visible().total() == 20)

    # Phase 3: the reports of b wait for the committer; the barrier of c overtakes them.
    c = here.asks_for_checkpoint(acknowledged=writers)
    here.gates.releases("call1")
    here.lake.cluster.jobs.checkpoint(job.id, c)
    job.cancels()
    assert here.newest_checkpoint()["persisted_data"] > 0, "reports are part of c"
    return here.lake.cluster.latest_checkpoint(job.id).as_uri()


@BOTH
def test_h04_a_rescale_counts_the_writers_anew(stage: Callable[..., Stage], connector: str) -> None:
    """Three writers' reports in the state, two writers now: Flink's committer waits for a third one for ever, and announces nothing."""
    here = stage(connector, GATED)
    checkpoint = stops_with_reports_in_flight(here, writers=3)
    job = here.starts(source=2, writers=2, savepoint=checkpoint)
    here.feeds(range(20, 30), SECOND)
    here.checkpoints(3)
    assert here.visible().total() == 30, "the rows are visible"
    assert here.is_committed(SECOND) != here.is_flinks, "the bridge counts its writers by their channels"
    job.stops(drain=True)
    if here.is_flinks:
        assert not here.is_committed(SECOND), "not even the end of the job announces it"
    else:
        here.audits()


@BOTH
def test_h10_no_report_is_for_a_checkpoint_that_is_over(stage: Callable[..., Stage], connector: str) -> None:
    """Two writers' reports in the state, four writers now: Flink's committer takes the same checkpoint for complete twice, and throws."""
    here = stage(connector, {**GATED, **OVER_AT_ONCE})
    checkpoint = stops_with_reports_in_flight(here, writers=2)
    job = here.starts(source=4, writers=4, savepoint=checkpoint)
    here.feeds(range(20, 30), SECOND)
    here.checkpoints(1)
    if here.is_flinks:
        # The committer has forgotten the checkpoint's watermark.
        job.waits_for("its failure", lambda: "has not been snapshot" in job.causes).runs()
    here.checkpoints(2)
    if not here.is_flinks:
        assert job.failures() == 0, "nothing of the kind"
    here.ends()
    assert here.is_committed(SECOND), "in the end it's announced"
