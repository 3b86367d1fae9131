"""What the sink's state doesn't remember: hazards H1, H2, H3, H9, H13, H14, on Flink's own sink and on the bridge."""

from collections.abc import Callable

import pytest

from tests.integration.lake import BRIDGE, STOCK
from tests.integration.stage import BY_TIME, GATED, Stage

BOTH = pytest.mark.parametrize("connector", [STOCK, BRIDGE])
JSON = {"format": "json"}
FIRST, SECOND, THIRD, FIFTH = "2024-01-01", "2024-01-02", "2024-01-03", "2024-01-05"


@BOTH
def test_h01_a_failing_policy_repeats_its_whole_round(stage: Callable[..., Stage], connector: str) -> None:
    """A policy that throws at the second partition of a round is called again for the first: at least once, on both."""
    here = stage(connector, GATED)
    job = here.starts()
    for number, day in enumerate((FIRST, SECOND, THIRD)):
        here.feeds(range(number * 10, number * 10 + 10), day)
    here.gates.fails("call2")
    failures = job.failures()
    here.checkpoints(1)
    job.fails_over(failures)
    assert here.gates.failed("call2"), "the policy's second call threw"
    assert "call2 fails once" in job.causes, "and that is what failed the job"
    (done,) = here.success()
    here.checkpoints()
    calls = here.gates.calls()
    assert set(calls) == {FIRST, SECOND, THIRD}, "no partition is forgotten"
    assert calls[done.removeprefix("p=").rstrip("/")] == 2, "the one that was done is done again: policies must be idempotent"
    here.ends()


def restored_with_an_open_file(stage: Callable[..., Stage], connector: str, *, checkpoints: int) -> Stage:
    """Rows of the first day in a row format's file, which is open when the job fails over; then the watermark passes that day."""
    here = stage(connector, {**JSON, **BY_TIME}, on_disk=True)
    here.starts()
    here.feeds(range(10), FIRST)
    here.checkpoints(checkpoints)
    here.fails_over()
    here.feeds(range(10, 20), THIRD)
    here.checkpoints(3)
    return here


@BOTH
def test_h02_a_file_open_at_a_restore_is_announced_when_due(stage: Callable[..., Stage], connector: str) -> None:
    """The partition of a row format's open file, unknown to the committer's state: Flink announces it when the file rolls at last."""
    here = restored_with_an_open_file(stage, connector, checkpoints=1)
    if here.is_flinks:
        assert here.visible() == {}, "the restored file goes on: nothing closes it"
        assert not here.is_committed(FIRST), "and its partition, whose end the watermark has passed, isn't announced"
    else:
        assert here.is_committed(FIRST), "the day is over, and announced"
        assert set(here.visible()) >= set(range(10)), "with its rows"
        assert not here.is_committed(THIRD), "and only that day"
    here.ends()
    assert here.is_committed(FIRST), "at the latest when the file ends"


@BOTH
def test_h03_no_success_file_before_the_rows_of_a_restored_file(stage: Callable[..., Stage], connector: str) -> None:
    """The committer remembers the partition, the writer not that its file is open: Flink writes `_SUCCESS` before the rows can be seen."""
    here = restored_with_an_open_file(stage, connector, checkpoints=2)
    assert here.is_committed(FIRST), "the day is over"
    if here.is_flinks:
        assert not set(here.visible()) & set(range(10)), "a reader that trusts `_SUCCESS` finds no row"
    else:
        assert set(here.visible()) >= set(range(10)), "a reader that trusts `_SUCCESS` finds every row (I5)"
    here.ends()


@BOTH
def test_h09_after_a_restore_event_time_begins_anew(stage: Callable[..., Stage], connector: str) -> None:
    """Watermarks aren't in the state: after a restore a partition that was due waits for the next row, on both."""
    here = stage(connector, {**BY_TIME, **GATED})
    job = here.starts()
    here.feeds(range(10), FIRST)
    here.feeds(range(10, 20), THIRD)
    here.gates.fails("call1")
    failures = job.failures()
    here.checkpoints(1)
    job.fails_over(failures)
    assert here.gates.failed("call1"), "the first day was due, and its policy threw"
    here.checkpoints(3)
    assert not here.is_committed(FIRST), "no source has anything to say, so there is no watermark"
    here.feeds(range(20, 30), THIRD)
    here.checkpoints(2)
    assert here.is_committed(FIRST), "late, not lost"
    assert not here.is_committed(THIRD), "and only what is due"
    here.ends()


@BOTH
def test_h13_an_older_savepoint_announces_again(stage: Callable[..., Stage], connector: str) -> None:
    """What is announced after a savepoint is announced again by the job that starts from it; the first `_SUCCESS` stands meanwhile."""
    here = stage(connector, GATED)
    job = here.starts()
    here.feeds(range(10), FIRST)
    here.checkpoints(2)
    savepoint = here.lake.cluster.jobs.savepoint(job.id, here.lake.cluster.savepoints.as_uri())
    here.feeds(range(10, 20), SECOND)
    here.checkpoints(2)
    assert here.is_committed(SECOND), "announced after the savepoint"
    job.cancels()

    job = here.starts(savepoint=savepoint)
    assert here.is_committed(SECOND), "nothing takes the old success file away, though the partition is written again"
    here.checkpoints(2)
    job.waits_for("the second announcement", lambda: here.gates.calls()[SECOND] == 2)
    assert here.visible()[10] == 2, "what was visible stays, and the rows after the savepoint come again"
    assert here.visible()[0] == 1, "what the savepoint covers comes once"
    job.stops(drain=True)
    if not here.is_flinks:
        here.audits(surplus=[row for row in here.rows if row[1] == SECOND])


@BOTH
def test_h14_a_rescale_announces_no_partition_before_its_rows(stage: Callable[..., Stage], connector: str) -> None:
    """Open files that a rescale gives to other subtasks: on Flink's sink nobody closes them, and `_SUCCESS` comes before the rows."""
    here = stage(connector, {**JSON, **BY_TIME}, on_disk=True)
    job = here.starts(writers=2)
    here.feeds(range(10), FIRST)
    here.checkpoints(2)
    savepoint = job.stops()
    here.starts(writers=3, savepoint=savepoint)
    here.feeds(range(10, 20), THIRD)
    here.checkpoints(3)
    assert here.is_committed(FIRST), "the day is over"
    if here.is_flinks:
        assert not set(here.visible()) & set(range(10)), "a reader that trusts `_SUCCESS` finds no row"
    else:
        assert set(here.visible()) >= set(range(10)), "a reader that trusts `_SUCCESS` finds every row (I5)"
    here.ends()
