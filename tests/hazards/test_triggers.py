"""When partitions are announced: hazards H8, H11, H12, on Flink's own sink and on the bridge, whose triggers are Flink's."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pytest

from tests.integration.faults import wait_for
from tests.integration.lake import BRIDGE, STOCK
from tests.integration.stage import BY_TIME, GATED, Stage, path_of

BOTH = pytest.mark.parametrize("connector", [STOCK, BRIDGE])
FIRST, THIRD, FIFTH = "2024-01-01", "2024-01-03", "2024-01-05"


@BOTH
def test_h08_only_a_checkpoint_announces(stage: Callable[..., Stage], connector: str) -> None:
    """Without a checkpoint a day that is over isn't announced; the first one after the watermark does it, on both."""
    here = stage(connector, BY_TIME)
    here.starts()
    here.feeds(range(10), FIRST)
    here.feeds(range(10, 20), THIRD)
    assert not here.success(), "the watermark alone announces nothing"
    assert not here.visible(), "and shows nothing"
    here.checkpoints(1)
    here.job.waits_for("the first day", lambda: here.is_committed(FIRST))
    here.feeds(range(20, 30), FIFTH)
    assert not here.is_committed(THIRD), "the third day is over, and has no checkpoint yet"
    here.checkpoints(1)
    here.job.waits_for("the third day, at the first checkpoint", lambda: here.is_committed(THIRD))
    here.ends()


@BOTH
def test_h11_the_delay_begins_with_the_announcement(stage: Callable[..., Stage], connector: str) -> None:
    """By process time the delay counts from when the committer hears of a partition, not from its first row, and anew for late rows."""
    delay = timedelta(seconds=3)
    here = stage(connector, {"sink.partition-commit.delay": f"{delay.seconds} s"})
    here.starts()
    here.feeds(range(10), FIRST)
    read = time.monotonic()
    wait_for("the rows to be older than the delay", lambda: time.monotonic() > read + delay.total_seconds())
    announced = committed_after_a_checkpoint(here, datetime.min.replace(tzinfo=timezone.utc))
    here.feeds(range(10, 20), FIRST)
    again = committed_after_a_checkpoint(here, here.success()[path_of(FIRST)])
    for heard, success in (announced, again):
        assert success >= heard + delay - timedelta(seconds=1), "not before the delay is over; the store's clock ticks in seconds"
    here.ends()


def committed_after_a_checkpoint(here: Stage, before: datetime) -> tuple[datetime, datetime]:
    """Take checkpoints until the first day's success file is newer than `before`: when the first was asked for, and its time."""
    asked = datetime.now(timezone.utc)

    def newer() -> datetime | None:
        here.checkpoints(1)
        written = here.success().get(path_of(FIRST))
        return written if written and written > before else None

    return asked, wait_for("the first day's success file", newer)


@BOTH
def test_h12_late_rows_are_visible_before_their_announcement(stage: Callable[..., Stage], connector: str) -> None:
    """The old `_SUCCESS` stands while late rows become visible, and is then written over, on both: it doesn't say which files it means."""
    here = stage(connector, GATED)
    here.starts()
    here.feeds(range(10), FIRST)
    here.checkpoints(2)
    first = here.success()[path_of(FIRST)]
    here.feeds(range(10, 20), FIRST)
    here.gates.holds("call2")
    here.checkpoints(1)
    with here.gates.held("call2"):
        assert here.visible().total() == 20, "the late rows are visible"
        assert here.success()[path_of(FIRST)] == first, "beside the success file of the rows before"
    here.checkpoints(1)
    assert here.gates.calls()[FIRST] == 2, "and are announced again"
    here.ends()
