"""A stream from the first row to the audit, while somebody does something to its job."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlparse

from partition_bridge.install.flink_home import find_flink_home
from partition_bridge.install.shim import own_jar
from partition_bridge.retained import named_uploads, retained
from tests.integration.lake import Lake
from tests.soak.schedule import PARALLELISM
from tests.soak.stream import PATIENCE, ROWS, Feeder, Stream
from tests.soak.watch import Watch

PER_SECOND = 1_000

Say = Callable[[str], None]


@dataclass
class Landed:
    """What a stream has come to. `seconds` without the drain."""

    seconds: float = 0.0
    rows: int = 0
    files: int = 0
    bytes: int = 0
    days: int = 0
    days_before_the_drain: int = 0
    jobs: int = 0
    checkpoints: int = 0
    restarts: int = 0
    orphans: int = 0


def streamed(lake: Lake, folder: Path, say: Say, do: Callable[[Stream], None]) -> Landed:
    """Stream while `do` is at work, then drain and audit. Raises for whatever is wrong."""
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
    began = time.monotonic()
    watch.start()
    feeder.start()
    try:
        do(stream)
    finally:
        feeder.stop()
        watch.stop()
    landed = Landed(seconds=time.monotonic() - began)
    _drain(stream, watch, landed, say)
    return landed


def _drain(stream: Stream, watch: Watch, landed: Landed, say: Say) -> None:
    rows = ROWS.first(stream.feed.rows)

    def all_visible() -> bool:
        watch.look()
        return watch.visible >= rows.count

    stream.job.waits_for("the rows that were fed", all_visible, 2 * PATIENCE)
    landed.days_before_the_drain = len(stream.table.listing().success)
    stream.over()
    savepoint = stream.job.stops(drain=True)
    assert not watch.early, f"announced too early: {watch.early[:5]}"
    snapshots = [urlparse(savepoint).path, *map(str, stream.lake.cluster.retained_checkpoints(finished=stream.job.id))]
    named = named_uploads(retained(find_flink_home(None).path, own_jar().path, snapshots).entries)
    open_and_named = {(each.key, each.upload_id) for each in stream.table.listing().uploads} & named
    assert not open_and_named, (
        f"every snapshot that is left is older than the drain, which completed what they name: {open_and_named}"
    )
    landed.orphans = stream.table.remove_orphans(named)
    say("drained; audit")
    report = stream.table.audit(rows.expected(), rows.paths())
    landed.rows, landed.files, landed.bytes = report.rows, report.data_objects, report.data_bytes
    landed.days, landed.jobs = report.success_files, len(stream.lake.jobs)
    landed.checkpoints, landed.restarts = stream.checkpoints, stream.restarts
