"""One soak from the first row to the audit."""

import itertools
import random
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from partition_bridge.install.flink_home import find_flink_home
from partition_bridge.install.shim import own_jar
from partition_bridge.retained import named_uploads, retained
from tests.integration.faults import wait_for
from tests.integration.lake import Lake
from tests.soak.deeds import Deeds
from tests.soak.schedule import FAULTS, PARALLELISM, RESTORES, Deed, schedule
from tests.soak.stream import PATIENCE, ROWS, Feeder, Stream
from tests.soak.watch import Watch

PER_SECOND = 1_000

Say = Callable[[str], None]


@dataclass
class Done:
    """A deed, with seconds since the job's start: when it began and when the job was right again."""

    deed: Deed
    began: float
    right: float


@dataclass
class Result:
    """What a soak has shown; the numbers of a report."""

    seconds: float = 0.0
    deeds: list[Done] = field(default_factory=list)
    rows: int = 0
    files: int = 0
    bytes: int = 0
    days: int = 0
    days_before_the_drain: int = 0
    jobs: int = 0
    checkpoints: int = 0
    restarts: int = 0
    orphans: int = 0

    def count(self, kinds: tuple[str, ...]) -> int:
        return sum(done.deed.kind in kinds for done in self.deeds)

    @property
    def rescales(self) -> int:
        before = [PARALLELISM[0], *(done.deed.parallelism for done in self.deeds if done.deed.parallelism)]
        return sum(one != other for one, other in itertools.pairwise(before))

    def numbers(self) -> dict[str, Any]:
        """Everything, as it goes into JSON."""
        minutes = self.seconds / 60
        return {
            **{key: value for key, value in asdict(self).items() if key != "deeds"},
            "seconds": round(self.seconds, 1),
            "faults": self.count(FAULTS),
            "restores": self.count(RESTORES),
            "rescales": self.rescales,
            "deeds_per_minute": round(len(self.deeds) / minutes, 2),
            "rows_per_second": round(self.rows / self.seconds),
            "schedule": [
                {"planned": each.deed.second, "began": each.began, "right": each.right, "what": str(each.deed)}
                for each in self.deeds
            ],
        }


def soak(lake: Lake, folder: Path, seconds: float, seed: int, say: Say) -> Result:
    """Stream, do what the schedule says, drain, audit. Raises for whatever is wrong."""
    plan = schedule(seconds, seed)
    stream = Stream(lake, folder, PARALLELISM[0])
    stream.is_right()
    watch = Watch(
        stream.table,
        ROWS,
        lambda rows, days: say(
            f"{stream.feed.rows} rows fed, {rows} visible, {days} days announced, parallelism {stream.parallelism}"
        ),
    )
    feeder = Feeder(stream.feed, PER_SECOND, lambda: watch.oldest)
    result = Result()
    began = time.monotonic()
    watch.start()
    feeder.start()
    try:
        _do(plan, Deeds(stream, random.Random(seed)), result, lambda: round(time.monotonic() - began, 1), say)
        _wait_until(began + seconds)
    finally:
        feeder.stop()
        watch.stop()
    result.seconds = time.monotonic() - began
    _drain(stream, watch, result, say)
    return result


def _do(plan: list[Deed], deeds: Deeds, result: Result, now: Callable[[], float], say: Say) -> None:
    for deed in plan:
        wait_for("the deed's time", lambda due=deed.second: now() >= due, deed.second + PATIENCE)  # type: ignore[misc]
        at = now()
        say(f"at {at:.1f} s: {deed}")
        deeds.do(deed)
        result.deeds.append(Done(deed, at, now()))
        say(f"at {now():.1f} s: right again after {now() - at:.1f} s")


def _wait_until(end: float) -> None:
    wait_for("the end of the time", lambda: time.monotonic() >= end, PATIENCE + max(0.0, end - time.monotonic()))


def _drain(stream: Stream, watch: Watch, result: Result, say: Say) -> None:
    rows = ROWS.first(stream.feed.rows)

    def all_visible() -> bool:
        watch.look()
        return watch.visible >= rows.count

    stream.job.waits_for("the rows that were fed", all_visible, 2 * PATIENCE)
    result.days_before_the_drain = len(stream.table.listing().success)
    stream.over()
    savepoint = stream.job.stops(drain=True)
    assert not watch.early, f"announced too early: {watch.early[:5]}"
    snapshots = [urlparse(savepoint).path, *map(str, stream.lake.cluster.retained_checkpoints())]
    named = named_uploads(retained(find_flink_home(None).path, own_jar().path, snapshots).entries)
    open_and_named = {(each.key, each.upload_id) for each in stream.table.listing().uploads} & named
    assert not open_and_named, (
        f"every snapshot that is left is older than the drain, which completed what they name: {open_and_named}"
    )
    result.orphans = stream.table.remove_orphans(named)
    say("drained; audit")
    report = stream.table.audit(rows.expected(), rows.paths())
    result.rows, result.files, result.bytes = report.rows, report.data_objects, report.data_bytes
    result.days, result.jobs = report.success_files, len(stream.lake.jobs)
    result.checkpoints, result.restarts = stream.checkpoints, stream.restarts
