"""Watermarks that stand still, and those of another time zone, on Flink's own sink and on the bridge."""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from tests.integration.jobs import Job
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


def committers_watermark(job: Job) -> float:
    """Milliseconds; 0 before the first one."""
    return job.metric(str(job.vertex("PartitionCommitter")["id"]), "currentInputWatermark")


def test_an_open_file_whose_day_is_over(stage: Callable[..., Stage]) -> None:
    """A row format's file that no size and no age would end for long: the watermark passes its day, so it ends before the day is announced."""
    here = stage(BRIDGE, {**BY_TIME, "format": "json"})
    job = here.starts(writers=1)
    here.feeds(range(10), FIRST)
    here.checkpoints()
    assert not here.visible(), "the file stays open over checkpoints"
    here.feeds(range(10, 20), THIRD)
    job.waits_for("the first day", lambda: is_committed_by_now(here))
    assert set(here.visible()) == set(range(10)), "with its rows (I5), and the third day's file goes on"
    here.ends()


def test_an_idle_writer_with_an_open_file(stage: Callable[..., Stage], lake: Lake) -> None:
    """A day has been reported when one of two writers gets more rows of it and goes idle: the other one's watermark can't announce the
    day before those rows are visible (I5).
    """
    here = stage(BRIDGE, {**BY_TIME, "format": "json"})
    job = here.starts(source=2, writers=2, settings={"table.exec.source.idle-timeout": "500 ms"})
    here.feeds(range(10), FIRST)
    lake.cluster.jobs.savepoint(job.id, lake.cluster.savepoints.as_uri())
    here.checkpoints()
    assert set(here.visible()) == set(range(10)), "a savepoint ends all files: the day is known to the committer"
    assert not here.success(), "and isn't over"

    # While a mark holds one source, the other one gets more rows of the day; the committer must have heard that it's idle no longer.
    (busy,) = here.marks(1)
    here.gates.holds(busy)
    passed = here.writes([busy, *here.data(range(20, 30), THIRD)])
    here.gates.waits_for_reached(busy)
    here.feeds(range(10, 20), FIRST, f"{FIRST} 18:00:00")
    evening = datetime(2024, 1, 1, 18, tzinfo=timezone.utc)
    job.waits_for("the committer's watermark", lambda: committers_watermark(job) >= evening.timestamp() * 1000)
    here.gates.releases(busy)
    job.waits_for("the third day to be read", lambda: here.gates.passed(passed))
    job.waits_for("the first day", lambda: is_committed_by_now(here))
    assert set(here.visible()) >= set(range(20)), "with the rows that came before the writer was idle"
    here.ends()


ZONE = "America/New_York"


def hours_of(day: datetime) -> list[datetime]:
    """The hours of a day that has 23 or 25 of them around two o'clock, as instants."""
    return [day.astimezone(timezone.utc) + timedelta(hours=hour) for hour in range(5)]


@pytest.mark.parametrize(
    ("day", "zoned", "option"),
    [
        pytest.param("2024-03-10", True, True, id="23 hours"),
        pytest.param("2024-11-03", True, True, id="25 hours"),
        pytest.param("2024-11-03", True, False, id="no zone given", marks=pytest.mark.thorough),
        pytest.param("2024-11-03", False, False, id="times without a zone", marks=pytest.mark.thorough),
        pytest.param("2024-11-03", False, True, id="times without a zone, and one given", marks=pytest.mark.thorough),
    ],
)
def test_zone_of_the_watermark(stage: Callable[..., Stage], lake: Lake, day: str, zoned: bool, option: bool) -> None:
    """Hours of local time around a change of the clocks: minute for minute the bridge announces what Flink's own sink does."""
    options = {
        "sink.partition-commit.trigger": "partition-time",
        "sink.partition-commit.delay": "1 h",
        **({"sink.partition-commit.watermark-time-zone": ZONE} if option else {}),
        "partition.time-extractor.timestamp-pattern": "$p:00:00",
    }
    here = stage(BRIDGE, options)
    flinks = Table(lake.server, f"{here.table.name}-flinks", COLUMNS, connector=STOCK, options=dict(options))
    here.starts(writers=1, settings={"table.local-time-zone": ZONE}, zoned=zoned, beside=flinks)
    assert "BridgeFileWriter (Flink's format)" not in here.job.operators(), "pyarrow encodes"
    seen = 0
    for number, hour in enumerate(hours_of(datetime.fromisoformat(day).replace(tzinfo=ZoneInfo(ZONE)))):
        for minute in (1, 59):
            at = hour + timedelta(minutes=minute)
            local = at.astimezone(ZoneInfo(ZONE))
            # The source reads instants (UTC) or the clock on the wall, which names the partition.
            read = at.strftime("%Y-%m-%d %H:%M:%SZ") if zoned else local.strftime("%Y-%m-%d %H:%M:%S")
            here.feeds([number * 100 + minute], local.strftime("%Y-%m-%d %H"), read)
            here.checkpoints()
            committed = set(here.success())
            assert committed == set(flinks.listing().success), f"at {local} both have announced the same hours"
            seen = max(seen, len(committed))
    # A wall clock that is taken for UTC is hours behind it, and one that is moved once more hours ahead.
    assert seen >= 3 or zoned != option, "hours were announced on the way"
    here.job.stops(drain=True)
    here.audits()
    flinks.audit(here.expected(here.rows), set(here.success()))
