"""The job under soak: one stream over many jobs, each of which goes on where the one before was stopped, cancelled or lost."""

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.integration.jobs import Job
from tests.integration.lake import Lake, Table
from tests.integration.rows import Rows
from tests.support.feed import Feed

PER_DAY = 500
AHEAD = 20_000
"""Rows that may be fed beyond the oldest one that isn't visible: Flink's source takes the files that wait in no order."""

LATE_DAYS = AHEAD // PER_DAY + 2
"""So no row is ever late: what came late for Flink, too, would prove nothing of the bridge."""

ROWS = Rows(1 << 40, per_day=PER_DAY)
CHECKPOINTS = "1 s"
PATIENCE = 300.0  # seconds until a job is right again; a few, where nothing else uses the cores


def options(policy_mark: Path) -> dict[str, str]:
    """Some files are uploads and some travel inline; the policy fails whenever its mark is gone."""
    return {
        "sink.upload.inline-threshold": "12 kb",
        "sink.upload.part-size": "5 mb",
        "sink.partition-commit.policy.kind": "custom,success-file",
        "sink.partition-commit.policy.class": "io.partitionbridge.policies.FailingOncePolicy",
        "sink.partition-commit.policy.class.parameters": str(policy_mark),
    }


class Stream:
    """`job` is the one that runs now."""

    def __init__(self, lake: Lake, folder: Path, parallelism: int) -> None:
        self.lake = lake
        self.rest = lake.cluster.jobs
        self.policy_mark = folder / "policy-has-failed"
        self.policy_mark.touch()
        self.feed = Feed(folder / "inbox")
        self.table: Table = lake.table(ROWS, options(self.policy_mark))
        self.restarts = 0
        self.checkpoints = 0
        self.parallelism = parallelism
        self.job: Job
        self.submit(None)

    def submit(self, snapshot: str | None) -> None:
        """Start a job at the current parallelism, from a snapshot or from nothing."""
        settings = {
            "parallelism.default": str(self.parallelism),
            "execution.checkpointing.interval": CHECKPOINTS,
            "restart-strategy.type": "fixed-delay",
            "restart-strategy.fixed-delay.attempts": "1000000",
            "restart-strategy.fixed-delay.delay": "100 ms",
            **({"execution.state-recovery.path": snapshot} if snapshot else {}),
        }
        tables = ROWS.watched(self.feed.inbox, LATE_DAYS) + self.table.ddl
        self.job = self.lake.insert(tables, f"INSERT INTO sink {ROWS.query}", settings)

    def is_right(self) -> None:
        """Wait until all tasks run and two more checkpoints have completed."""
        self.job.waits_for("running tasks", lambda: self.rest.running(self.job.id), PATIENCE)
        target = self.rest.completed_checkpoints(self.job.id) + 2
        self.job.waits_for("checkpoints", lambda: self.rest.completed_checkpoints(self.job.id) >= target, PATIENCE)

    @contextmanager
    def restarting(self) -> Iterator[None]:
        """What is done in it must make Flink restart the job; ends when the job is right again."""
        before = self.rest.restarts(self.job.id)
        yield
        self.job.waits_for("the job's restart", lambda: self.rest.restarts(self.job.id) > before, PATIENCE)
        self.is_right()

    def over(self) -> None:
        """The job is about to end: remember what it has counted."""
        self.restarts += self.rest.restarts(self.job.id)
        self.checkpoints += self.rest.completed_checkpoints(self.job.id)


class Feeder(threading.Thread):
    """Feeds so many rows a second, but never more than AHEAD beyond `oldest`, the oldest row that isn't visible.

    In drops that don't end with their days: a writer takes a drop at once, and so has many rows of some days, whose files are uploads,
    and few of others, whose files travel inline.
    """

    def __init__(self, feed: Feed, per_second: int, oldest: Callable[[], int]) -> None:
        super().__init__(name="feeder", daemon=True)
        self._feed = feed
        self._per_second = per_second
        self._oldest = oldest
        self._ended = threading.Event()

    def run(self) -> None:
        drops = itertools.cycle((self._per_second * 2 // 5, self._per_second * 3 // 5))
        rows = next(drops)
        while not self._ended.wait(0.5):
            if self._feed.rows + rows - self._oldest() <= AHEAD:
                self._feed.drop(rows)
                rows = next(drops)

    def stop(self) -> None:
        """Returns when no file will appear any more."""
        self._ended.set()
        self.join()
