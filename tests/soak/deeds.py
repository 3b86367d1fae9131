"""Each deed of the schedule, done to a running stream. One that didn't strike raises; each ends with a job that is right again."""

import random
from collections.abc import Callable

from tests.integration.faults import kill_9, wait_for
from tests.soak.schedule import Deed
from tests.soak.stream import PATIENCE, Stream


class Deeds:
    """`draw` chooses among the writers that there are."""

    def __init__(self, stream: Stream, draw: random.Random) -> None:
        self._stream = stream
        self._faults = stream.lake.faults
        self._draw = draw
        self._by_kind: dict[str, Callable[[Deed], None]] = {
            "writer": self._writer,
            "writer-at-point": self._writer_at_point,
            "writer-in-restore": self._writer_in_restore,
            "writer-exception": self._writer_exception,
            "taskmanager": self._taskmanager,
            "commit-policy": self._commit_policy,
            "store": self._store,
            "savepoint": self._savepoint,
            "jobmanager": self._jobmanager,
            "cancel": self._cancel,
        }

    def do(self, deed: Deed) -> None:
        # What the points have told so far grows, and is of no more use but to know which completions are under way.
        if deed.kind != "store":
            self._faults.clear()
        self._by_kind[deed.kind](deed)

    def _writer(self, _: Deed) -> None:
        with self._stream.restarting():
            kill_9(self._draw.choice(self._stream.job.some_writers(self._stream.parallelism)))

    def _writer_at_point(self, deed: Deed) -> None:
        with self._stream.restarting(), self._faults.holding(deed.point) as held:
            kill_9(wait_for(f"a writer at {deed.point}", held, PATIENCE)[0].pid)

    def _writer_in_restore(self, _: Deed) -> None:
        """Twice: before a completion, and the next one while it completes what the first has left."""
        with self._stream.restarting(), self._faults.holding("restore-before-complete") as restoring:
            with self._faults.holding("commit-before-complete") as held:
                kill_9(wait_for("a writer before a completion", held, PATIENCE)[0].pid)
            kill_9(wait_for("a writer that restores", restoring, PATIENCE)[0].pid)

    def _writer_exception(self, deed: Deed) -> None:
        orders = self._faults.folder / f"raise.{deed.point}"
        with self._stream.restarting():
            with self._faults.holding(deed.point) as held:
                orders.touch()
                pid = wait_for(f"a writer at {deed.point}", held, PATIENCE)[0].pid
            try:
                wait_for("the end of the writer that raised", lambda: not self._stream.lake.living([pid]), PATIENCE)
            finally:
                orders.unlink()

    def _commit_policy(self, _: Deed) -> None:
        """The next call of the policy throws, in the committer's task."""
        with self._stream.restarting():
            self._stream.policy_mark.unlink()

    def _taskmanager(self, _: Deed) -> None:
        writers = self._stream.job.some_writers(self._stream.parallelism)
        with self._stream.restarting():
            self._stream.lake.kill_taskmanager()
            wait_for("the end of writers without a TaskManager", lambda: not self._stream.lake.living(writers), PATIENCE)

    def _store(self, _: Deed) -> None:
        """Away until a writer needs it: one is held before its next request, and goes on when there is no store.

        That one's completion fails, unless another request without a store has had the job restarted before it could.
        """
        stream, store = self._stream, self._stream.lake.server
        restarts = stream.rest.restarts(stream.job.id)
        with self._faults.holding("commit-before-complete") as held:
            wait_for("a writer before a completion", held, PATIENCE)
            # versitygw 1.8.0 loses the object whose completion it's killed in, and says yes to the next one: its own loss, and no test of ours.
            wait_for("the end of the completions that are under way", self._faults.no_completion_is_under_way, PATIENCE)
            store.kill()
        try:
            after = len(self._faults.reached("commit-after-complete"))
            wait_for(
                "a completion or a restart without a store",
                lambda: (
                    len(self._faults.reached("commit-after-complete")) > after or stream.rest.restarts(stream.job.id) > restarts
                ),
                PATIENCE,
            )
        finally:
            store.restart()
        stream.is_right()

    def _savepoint(self, deed: Deed) -> None:
        stream = self._stream
        stream.over()
        self._goes_on(deed, stream.job.stops())

    def _cancel(self, deed: Deed) -> None:
        stream = self._stream
        stream.over()
        stream.job.cancels()
        self._goes_on(deed, stream.lake.cluster.latest_checkpoint(stream.job.id).as_uri())

    def _jobmanager(self, deed: Deed) -> None:
        stream, cluster = self._stream, self._stream.lake.cluster
        stream.over()
        cluster.jobmanager.kill()
        checkpoint = cluster.latest_checkpoint(stream.job.id).as_uri()
        cluster.restart_jobmanager()
        cluster.wait_ready()
        self._goes_on(deed, checkpoint)

    def _goes_on(self, deed: Deed, snapshot: str) -> None:
        self._stream.parallelism = deed.parallelism
        self._stream.submit(snapshot)
        self._stream.is_right()
