"""One job, twenty kill -9 at the worst moments that there are, and at the end each row once."""

import os
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from partition_bridge.audit import ObjectEntry
from tests.integration.commit_lines import FileLine, commit_lines
from tests.integration.faults import FaultPoints, Reached, kill_9, wait_for
from tests.integration.jobs import Job
from tests.integration.lake import Contents, Lake, Table
from tests.integration.rows import Rows
from tests.support.feed import Feed

SEED = "PARTITION_BRIDGE_SEED"
OPTIONS = {
    "sink.upload.inline-threshold": "0 b",
    "sink.upload.part-size": "5 mb",
    "parquet.compression": "UNCOMPRESSED",
    "parquet.block.size": str(2 << 20),
}
"""Bytes become parts at once, so that a file has several while it's written."""

SETTINGS = {
    "parallelism.default": "2",
    "execution.checkpointing.interval": "3 s",
    "restart-strategy.type": "fixed-delay",
    # Without a TaskManager a restart fails at once: a slow machine has many while one starts.
    "restart-strategy.fixed-delay.attempts": "1000000",
    "restart-strategy.fixed-delay.delay": "100 ms",
}
ROWS = Rows(0, partitions=2, fat=1000)
"""32 KB in every second row, all in one partition."""

BURST = 1_600
"""About 25 MB of rows: two parts or more in the file of at least one of two writers, wherever a barrier falls."""

SOME = 100
PATIENCE = 300  # seconds, for what takes a few: other tests may share the cores
AT_LEAST = {"mid-file": 5, "completion": 5, "restore": 3, "taskmanager": 2}


@dataclass(frozen=True)
class Kill:
    """What was ended, and where the writer in question stood then. `ended` is in epoch seconds."""

    kind: str
    at: Reached
    ended: float


class Run:
    """A job that is fed and killed. Each step ends when the job has new writers."""

    def __init__(self, lake: Lake, table: Table, feed: Feed, moments: random.Random) -> None:
        self.lake = lake
        self.faults: FaultPoints = lake.faults
        self.feed = feed
        self.moments = moments
        self.kills: list[Kill] = []
        self.job: Job = lake.insert(ROWS.watched(feed.inbox) + table.ddl, f"INSERT INTO sink {fed(ROWS).query}", SETTINGS)
        self.dead: set[int] = set()
        self._restarted()

    def mid_file(self) -> None:
        """A writer has sent two parts of its file."""
        with self.faults.holding("after-part", number=2) as held:
            at = self._fed_until(held, BURST, files=4)
            wait_for("the first part of the same file", lambda: 1 in parts_sent(self.faults.log(), at))
            self._kill_writer("mid-file", at)
        self._restarted()

    def before_completion(self) -> None:
        """The checkpoint is complete, the file isn't visible."""
        with self.faults.holding("commit-before-complete") as held:
            self._kill_writer("completion", self._fed_until(held, SOME))
        self._restarted()

    def after_completion(self) -> None:
        """The file is visible, and nobody has heard of it."""
        with self.faults.holding("commit-after-complete") as held:
            self._kill_writer("completion", self._fed_until(held, SOME))
        self._restarted()

    def during_restore(self) -> None:
        """A writer is killed before it could complete a file, and its successor while it does so."""
        point = self.moments.choice(["restore-before-complete", "restore-after-complete"])
        with self.faults.holding(point) as restoring:
            with self.faults.holding("commit-before-complete") as held:
                self._kill_writer("completion", self._fed_until(held, SOME))
            (at, *_) = wait_for(f"a writer at {point}", restoring, PATIENCE)
            self._kill_writer("restore", at)
        self._restarted()

    def taskmanager(self) -> None:
        """The whole JVM, while one of its writers has sent a part. Its writers have to end by themselves."""
        with self.faults.holding("after-part") as held:
            at = self._fed_until(held, SOME)
            writers = self.job.writers()
            self._moment()
            self.lake.kill_taskmanager()
            self._ended("taskmanager", at, writers)
            wait_for("the end of writers without a TaskManager", lambda: not self.lake.living(writers), PATIENCE)
        self._restarted()

    def _fed_until(self, held: Callable[[], list[Reached]], rows: int, files: int = 2) -> Reached:
        """Feed, and feed again if a barrier fell so that nobody was held; the first who is."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            self.feed.drop(rows, files)
            try:
                return wait_for("a held writer", lambda: [each for each in held() if each.pid not in self.dead], PATIENCE / 4)[0]
            except AssertionError:
                self.job.waits_for("a running job", lambda: True)
        last = "\n".join(map(str, self.faults.log()[-30:]))
        raise AssertionError(f"no writer was held in {PATIENCE} s; {self.job.writers()} live; where they were last:\n{last}")

    def _moment(self) -> None:
        """The seeded part of the time of death; the point is held all the while."""
        time.sleep(self.moments.uniform(0, 0.3))

    def _kill_writer(self, kind: str, at: Reached) -> None:
        self._moment()
        assert psutil.pid_exists(at.pid), f"the writer that was to be killed at {at.point} has ended by itself"
        writers = self.job.writers()
        kill_9(at.pid)
        self._ended(kind, at, writers)

    def _ended(self, kind: str, at: Reached, attempt: list[int]) -> None:
        """The others of the same attempt will end, too."""
        self.dead |= {at.pid, *attempt}
        self.kills.append(Kill(kind, at, time.time()))
        print(f"kill {len(self.kills)}: {kind} at {at.point} {at.facts}")

    def _restarted(self) -> None:
        """Wait until none of the old writers lives and those of each subtask have restored what there was."""

        def new() -> bool:
            now = self.job.writers()
            return len(now) == 2 and self.dead.isdisjoint(now)

        self.job.waits_for("new writers", new, PATIENCE)
        self.job.waits_for("the end of the restore", lambda: self.lake.cluster.jobs.running(self.job.id), PATIENCE)


def fed(rows: Rows) -> Rows:
    """Without an end: what there is, is decided by the feed."""
    return rows.first(1 << 40)


def parts_sent(log: list[Reached], at: Reached) -> set[int]:
    """Numbers of the parts of the same upload that its writer has sent."""
    return {
        int(each.facts["number"])
        for each in log
        if each.point == "after-part" and each.pid == at.pid and each.facts["upload_id"] == at.facts["upload_id"]
    }


def proven(log: list[Reached], kill: Kill) -> str:
    """The kind of a kill as the log of the fault points tells it, and nothing else; "missed" where it doesn't."""
    own = [each for each in log if each.pid == kill.at.pid]
    if any(each.time > kill.ended + 1 for each in own):
        return "missed"
    same = {each.point for each in own if each.facts.get("upload_id") == kill.at.facts["upload_id"]}
    completing = {each for each in same if each.endswith("-complete")}
    if kill.kind == "mid-file":
        return kill.kind if {1, 2} <= parts_sent(log, kill.at) and not completing else "missed"
    if kill.kind == "taskmanager":
        return kill.kind if not completing else "missed"
    told = any(each.point == "after-committed-call" and each.time >= kill.at.time for each in own)
    stages = {each.partition("-")[0] for each in completing}
    return "missed" if told else {"commit": "completion", "restore": "restore"}[stages.pop()] if len(stages) == 1 else "missed"


def counts_of_the_last_attempt(run: Run) -> tuple[int, int]:
    """`filesCommitted` and `bytesCommitted` as Flink shows them of the writers that run."""
    (vertex,) = (str(each["id"]) for each in run.job.vertices() if "BridgeFileWriter" in str(each["name"]))
    names = {name.partition(".")[2] for name in run.lake.cluster.jobs.metric_names(run.job.id, vertex)}
    files, size = (
        int(sum(run.job.metric(vertex, name) for name in names if name.endswith(counter)))
        for counter in (".filesCommitted", ".bytesCommitted")
    )
    return files, size


def of_the_last_attempt(run: Run, lines: list[FileLine]) -> tuple[int, int]:
    """The same by the log: what was counted after the last kill. What the other writer of the killed attempt still did, the restore has found."""
    since = [each for each in lines if each.time > run.kills[-1].ended]
    found = {each.key for each in since if each.outcome == "already"}
    counted = [each for each in since if each.counted and each.key not in found]
    return len(counted), sum(each.bytes for each in counted)


def require_equal(lines: list[FileLine], bucket: dict[str, ObjectEntry]) -> None:
    """What was counted, over all attempts, is what lies in the bucket; a kill between effect and count leaves it to the next restore."""
    counted = Counter(each.key for each in lines if each.counted)
    assert set(counted.values()) == {1}, "no file is counted twice"
    found = {each.key for each in lines if each.outcome in ("already", "grown")}
    print(
        f"{len(counted)} files counted, {len(bucket.keys() - counted.keys())} found by the next attempt, {len(bucket)} in the bucket"
    )
    assert counted.keys() <= bucket.keys(), "nothing is counted that isn't there"
    assert bucket.keys() - counted.keys() <= found, "what a killed attempt couldn't count, the next has found"
    for each in lines:
        assert each.bytes == bucket[each.key].size, f"{each} and {bucket[each.key]}"


@pytest.mark.timeout(3_600)  # for slow machines; it takes two minutes
@pytest.mark.thorough
def test_twenty_kills(lake: Lake, tmp_path: Path) -> None:
    """Writers and TaskManagers of one job are killed twenty times: mid-file, around completion, during restore. No row is lost or doubled, and what was counted is there."""
    seed = int(os.environ.get(SEED) or random.SystemRandom().randrange(1 << 31))
    print(f"{SEED}={seed}")
    moments = random.Random(seed)
    table = lake.table(ROWS, OPTIONS)
    feed = Feed(tmp_path / "inbox")
    contents = Contents(table)
    began = time.monotonic()

    run = Run(lake, table, feed, moments)
    steps = [run.mid_file] * 6 + [run.before_completion] * 3 + [run.after_completion] * 3 + [run.during_restore] * 3
    steps += [run.taskmanager] * 2
    moments.shuffle(steps)
    for step in steps:
        step()

    feed.drop(SOME, 2)  # something for the last attempt to count, whatever the attempts before have completed
    rows = ROWS.first(feed.rows)
    run.job.waits_for("the rows that were fed", lambda: contents.rows().total() >= rows.count, 2 * PATIENCE)
    run.job.waits_for("the count of restarts", lambda: lake.cluster.jobs.restarts(run.job.id) >= len(run.kills))
    assert len(lake.jobs) == 1, "all of this was one job"
    run.job.waits_for(
        "counters that are as the log",
        lambda: counts_of_the_last_attempt(run) == of_the_last_attempt(run, commit_lines(lake.cluster)) != (0, 0),
    )
    run.job.stops(drain=True)

    kinds = Counter(proven(lake.faults.log(), kill) for kill in run.kills)
    print(f"{len(run.kills)} kills in {time.monotonic() - began:.0f} s: {dict(kinds)}")
    assert kinds["missed"] == 0, "every kill has struck where it was meant to"
    assert len(run.kills) >= 20
    assert all(kinds[kind] >= least for kind, least in AT_LEAST.items()), f"{kinds}: too few of a kind"
    assert table.remove_orphans() >= kinds["mid-file"], "what was killed mid-file left its upload open (I2)"
    report = table.audit(rows.expected(), rows.paths())
    require_equal(commit_lines(lake.cluster), table.objects())
    print(f"{report.rows} rows in {report.data_objects} files, {report.data_bytes >> 20} MiB")
