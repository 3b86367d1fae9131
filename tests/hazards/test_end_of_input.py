"""How the sink ends: hazards H5, H6, H7, on Flink's own sink and on the bridge."""

from collections.abc import Callable

import pytest

from tests.integration.jobs import Job
from tests.integration.lake import BRIDGE, STOCK
from tests.integration.stage import BY_TIME, Stage, path_of
from tests.support.rest import RestFailed

BOTH = pytest.mark.parametrize("connector", [STOCK, BRIDGE])
FIRST, SECOND = "2024-01-01", "2024-01-02"


def ended_writers(job: Job) -> int:
    """Reports that have reached the committer; before any checkpoint, only a writer at the end of its input sends one."""
    return int(job.vertex("PartitionCommitter")["metrics"]["read-records"])


@BOTH
def test_h05_checkpoints_go_on_beside_a_finished_subtask(stage: Callable[..., Stage], connector: str) -> None:
    """One of two writers has reached the end of its input: Flink's sink can't complete a checkpoint any more, the bridge can."""
    here = stage(connector)
    here.gates.slows()
    here.writes(here.data(range(10), FIRST))
    (late,) = here.marks(1)
    here.gates.holds(late)
    end = here.writes([late, *here.lingers(), *here.data(range(10, 20), SECOND)])
    job = here.starts(source=2, writers=2, bounded=True)

    # Phase 1: one writer is at its end, the other one at its beginning.
    here.gates.waits_for_reached(late)
    job.waits_for("the end of one writer's input", lambda: ended_writers(job) == 1)
    if here.is_flinks:
        assert here.visible(), "what has ended is visible before any checkpoint (H6)"
        assert not here.success(), "and not announced while the other writer runs"
    else:
        assert not here.visible(), "nothing is visible before a checkpoint (I2)"

    # Phase 2: checkpoints, while the other one goes on.
    here.gates.releases(late)
    if here.is_flinks:
        with pytest.raises(RestFailed, match=r"(?s)checkpoint of \w+ failed.*UnionListState"):
            here.checkpoints(1)
    else:
        here.checkpoints(3)
        assert here.is_committed(FIRST), "what the ended writer wrote is announced"
        assert here.visible().total() == 10, "and visible"
    assert not here.gates.passed(end), "meanwhile the other writer has not ended"

    # Phase 3: to the end.
    here.gates.hurries()
    job.finishes()
    assert set(here.success()) == {path_of(FIRST), path_of(SECOND)}, "everything is announced at the end"
    if not here.is_flinks:
        here.audits()


@BOTH
def test_h06_a_failure_after_the_end_of_input_shows_no_row_twice(stage: Callable[..., Stage], connector: str) -> None:
    """A writer has ended, then its job fails and starts over: what Flink's sink had published at the end of input is there twice."""
    here = stage(connector)
    barrier, other = here.marks(2)
    here.gates.holds(barrier, other)
    here.writes([*here.data(range(10), FIRST), barrier, *here.data(range(10, 20), FIRST)])
    here.writes([other, *here.data(range(20, 30), FIRST)])
    # A third writer has no rows: its acknowledgement shows that the others have been told of a checkpoint.
    # The barrier of one writer holds the committer back, since the other writer has none: the checkpoint's timeout ends that.
    job = here.starts(source=3, writers=3, bounded=True, settings={"execution.checkpointing.timeout": "10 s"})

    # Phase 1: a barrier that one writer of two gets ends its first file; then its input ends, with a second one.
    here.gates.waits_for_reached(other)
    here.gates.waits_for_reached(barrier)
    job.waits_for("the end of the writer without rows", lambda: ended_writers(job) == 1)
    here.asks_for_checkpoint(acknowledged=1)
    here.gates.releases(barrier)
    job.waits_for("the end of another writer's input", lambda: ended_writers(job) == 2)
    assert bool(here.visible()) == here.is_flinks, "Flink's sink doesn't wait for a checkpoint, the bridge does (I2)"

    # Phase 2: the other writer fails; there is no checkpoint to start from.
    here.gates.fails(other)
    failures = job.failures()
    here.gates.releases(other)
    job.fails_over(failures).finishes()
    assert here.gates.failed(other), "the fault struck"
    assert set(here.visible()) == set(range(30)), "every row is there"
    if here.is_flinks:
        assert here.visible().total() > 30, "some of them twice"
    else:
        here.audits()


@BOTH
@pytest.mark.parametrize("drain", [True, False])
def test_h07_a_drain_announces_unfinished_partitions(stage: Callable[..., Stage], connector: str, drain: bool) -> None:
    """At a drain, as at every end of input, both announce every partition, the day that isn't over included; without drain neither does."""
    here = stage(connector, BY_TIME)
    job = here.starts()
    here.feeds(range(10), FIRST)
    job.stops(drain=drain)
    assert here.is_committed(FIRST) == drain, "the end of event time ends each day"
    assert here.visible().total() == 10, "the rows are visible in any case"
    if not here.is_flinks:
        here.audits(uncommitted=() if drain else (FIRST,))
