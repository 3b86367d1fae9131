"""Watermarks that stand still, and those of another time zone, on Flink's own sink and on the bridge."""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from tests.integration.lake import BRIDGE, STOCK, Lake, Table
from tests.integration.stage import BY_TIME, COLUMNS, Stage

FIRST, THIRD = "2024-01-01", "2024-01-03"


def is_committed_by_now(here: Stage) -> bool:
    """Whether the first day is, after one more checkpoint."""
    here.checkpoints(1)
    return here.is_committed(FIRST)


@pytest.mark.parametrize("connector", [STOCK, BRIDGE])
@pytest.mark.parametrize("timeout", [None, "500 ms"])
def test_an_idle_source(stage: Callable[..., Stage], connector: str, timeout: str | None) -> None:
    """A source without rows holds event time back, unless it's declared idle; the bridge ends an idle writer's open files first (I5)."""
    # Flink's sink on S3 can't complete files of row formats on a store with folders: it writes Parquet here.
    here = stage(connector, {**BY_TIME, **({} if connector == STOCK else {"format": "json"})})
    settings = {"table.exec.source.idle-timeout": timeout} if timeout else {}
    job = here.starts(source=2, writers=2, settings=settings)
    (busy,) = here.marks(1)
    here.gates.holds(busy)
    # While a mark holds one source, the other one reads all rows: later it's the first that has none.
    here.writes([busy])
    here.gates.waits_for_reached(busy)
    here.feeds(range(10), FIRST)
    here.feeds(range(10, 20), THIRD)
    here.gates.releases(busy)
    if timeout is None:
        here.checkpoints(3)
        assert not here.success(), "one of two sources has shown no row"
    else:
        job.waits_for("the first day", lambda: is_committed_by_now(here))
        assert set(here.visible()) >= set(range(10)), "with its rows"
    here.ends()


ZONE = "America/New_York"


def hours_of(day: datetime) -> list[datetime]:
    """The hours of a day that has 23 or 25 of them around two o'clock, as instants."""
    return [day.astimezone(timezone.utc) + timedelta(hours=hour) for hour in range(5)]


@pytest.mark.parametrize("day", ["2024-03-10", "2024-11-03"], ids=["23 hours", "25 hours"])
def test_zone_of_the_watermark(stage: Callable[..., Stage], lake: Lake, day: str) -> None:
    """Hours of local time around a change of the clocks: minute for minute the bridge announces what Flink's own sink does."""
    options = {
        "sink.partition-commit.trigger": "partition-time",
        "sink.partition-commit.delay": "1 h",
        "sink.partition-commit.watermark-time-zone": ZONE,
        "partition.time-extractor.timestamp-pattern": "$p:00:00",
    }
    here = stage(BRIDGE, options)
    flinks = Table(lake.server, f"{here.table.name}-flinks", COLUMNS, connector=STOCK, options=dict(options))
    here.starts(writers=1, settings={"table.local-time-zone": ZONE}, zoned=True, beside=flinks)
    seen = 0
    for number, hour in enumerate(hours_of(datetime.fromisoformat(day).replace(tzinfo=ZoneInfo(ZONE)))):
        for minute in (1, 59):
            at = hour + timedelta(minutes=minute)
            local = at.astimezone(ZoneInfo(ZONE))
            # The source reads instants (UTC), the partition is named by the clock on the wall.
            here.feeds([number * 100 + minute], local.strftime("%Y-%m-%d %H"), at.strftime("%Y-%m-%d %H:%M:%SZ"))
            here.checkpoints()
            committed = set(here.success())
            assert committed == set(flinks.listing().success), f"at {local} both have announced the same hours"
            seen = max(seen, len(committed))
    assert seen >= 3, "hours were announced on the way"
    here.job.stops(drain=True)
    here.audits()
    flinks.audit(here.expected(here.rows), set(here.success()))
