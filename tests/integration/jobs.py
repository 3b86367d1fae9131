"""A running INSERT: what a test waits for and does to it. Waits are for conditions; none sleeps for a fixed time."""

from collections.abc import Callable, Sequence
from typing import Protocol

from tests.integration.faults import kill_9, wait_for, writer_pids
from tests.support.rest import JobManager, Json, RestFailed, SqlGateway

TASK_IS_ENDING = ("task is closing", "Task local checkpoint failure")
"""What Flink says of a checkpoint that a task declines at its end, and of one for a task that its TaskManager has no longer.

A failure of a task's own snapshot has other words.
"""


class TaskManager(Protocol):
    """A process or a container; `pid` is its first process on this machine."""

    @property
    def alive(self) -> bool: ...

    @property
    def pid(self) -> int: ...


class Cluster(Protocol):
    """A Flink, in whatever it runs."""

    @property
    def jobs(self) -> JobManager: ...

    @property
    def sql(self) -> SqlGateway: ...

    @property
    def taskmanagers(self) -> Sequence[TaskManager]: ...

    @property
    def savepoint_folder(self) -> str:
        """Its URI."""


class Job:
    """One submitted job."""

    def __init__(self, cluster: Cluster, job: str) -> None:
        self.id = job
        self._cluster = cluster
        self._rest = cluster.jobs

    def has_checkpoints(self, more: int) -> "Job":
        """Wait until so many more checkpoints than now have completed."""
        target = self._rest.completed_checkpoints(self.id) + more
        return self.waits_for(f"checkpoint {target}", lambda: self._rest.completed_checkpoints(self.id) >= target)

    def asks_for_checkpoint(self) -> str:
        """Have Flink take a checkpoint now, beside or instead of those of its interval; the request's id."""
        self.runs()
        return self._rest.trigger_checkpoint(self.id)

    def takes_checkpoint(self) -> "Job":
        """The same, and wait until it is complete. Fails if it fails.

        A subtask at the end of its input declines all between its last checkpoint and its end, and one that has ended without the
        JobManager knowing it yet is asked in vain: then another one is asked for.
        """

        def complete() -> bool:
            try:
                return self._rest.checkpoint(self.id, self.asks_for_checkpoint()) > 0
            except RestFailed as failed:
                if not any(each in str(failed) for each in TASK_IS_ENDING):
                    raise
                return False

        return self.waits_for("a checkpoint that no closing task declines", complete)

    def runs(self) -> "Job":
        return self.waits_for("all tasks to run", lambda: self._rest.running(self.id))

    def waits_for(self, what: str, look: Callable[[], object], timeout: float = 90) -> "Job":
        """Wait for `what`; fail at once with the job's own cause if it ends unasked."""

        def looked() -> object:
            if self._rest.state(self.id) == "FAILED":
                raise RestFailed(f"job failed while a test waited for {what}:\n{self.causes}")
            return look()

        try:
            wait_for(what, looked, timeout)
        except AssertionError as vain:
            raise AssertionError(f"{vain}; failures of the job: {self.causes}") from None
        return self

    def writers(self) -> list[int]:
        """Pids of the living writer processes on all TaskManagers."""
        alive = [each for each in self._cluster.taskmanagers if each.alive]
        return [pid for each in alive for pid in writer_pids(each.pid)]

    def some_writers(self, count: int) -> list[int]:
        self.waits_for(f"{count} writers", lambda: len(self.writers()) >= count)
        return self.writers()

    def kills(self, pid: int) -> "Job":
        """End one of its processes by kill -9."""
        kill_9(pid)
        return self

    def kill_writer(self, pid: int) -> "Job":
        """End a writer by kill -9 and wait until Flink has failed its task over."""
        failures = self.failures()
        return self.kills(pid).fails_over(failures)

    def failures(self) -> int:
        return len(self._failures())

    def fails_over(self, seen: int, *, running: bool = True) -> "Job":
        """Wait until the job has a failure beyond the `seen` ones and, if `running`, runs again."""
        self.waits_for("a failure", lambda: self.failures() > seen)
        return self.runs_or_ended() if running else self

    def runs_or_ended(self) -> "Job":
        return self.waits_for("the restart", lambda: self._rest.running(self.id) or self._rest.state(self.id) == "FINISHED")

    def stops(self, *, drain: bool = False) -> str:
        """Stop with a savepoint; its path."""
        path = self._rest.stop_with_savepoint(self.id, self._cluster.savepoint_folder, drain)
        self.finishes()
        return path

    def finishes(self, timeout: float = 120) -> "Job":
        self._rest.wait(self.id, frozenset({"FINISHED"}), timeout)
        return self

    def fails(self, timeout: float = 90) -> str:
        """Wait for the job's end as FAILED; the root cause as Flink tells it."""
        self._rest.wait(self.id, frozenset({"FAILED"}), timeout)
        return self.causes

    def ended(self) -> bool:
        return self._rest.state(self.id) in ("FINISHED", "CANCELED", "FAILED")

    def cancels(self) -> None:
        self._rest.cancel(self.id)
        wait_for("the job's end", self.ended)

    @property
    def causes(self) -> str:
        """Flink's own words for the newest failures, with what failed at the same time: which of them is called first is chance."""
        failures = [also for each in self._failures()[:3] for also in (each, *each.get("concurrentExceptions", ()))]
        return "\n".join(str(each["stacktrace"]) for each in failures)

    def vertices(self) -> list[Json]:
        return list(self._rest.job(self.id)["vertices"])

    def vertex(self, part: str) -> Json:
        """The one whose name has this part."""
        (found,) = (each for each in self.vertices() if part in str(each["name"]))
        return found

    def metric(self, vertex: str, name: str) -> float:
        """Sum over the vertex's subtasks, as old as `metrics.fetcher.update-interval`."""
        return self._rest.metric(self.id, vertex, name)

    def rows_read(self) -> int:
        """Rows that the source has given since the last restart, where the source isn't chained to the writer."""
        return int(self.vertices()[0]["metrics"]["write-records"])

    def operators(self) -> str:
        """Text of the plan as the web interface draws it."""
        return "\n".join(str(node["description"]) for node in self._rest.job(self.id)["plan"]["nodes"])

    def _failures(self) -> list[Json]:
        return self._rest.exceptions(self.id)
