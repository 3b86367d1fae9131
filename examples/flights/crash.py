"""kill -9 while uploads are open: who is killed, what it had open, and how the cluster comes back."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psutil

from examples.flights.lake import Lake
from tests.support.flink import FlinkCluster
from tests.support.servers import S3Server

RECOVERY = {
    "writer": "nothing, Flink starts new writers",
    "taskmanager": "a new TaskManager",
    "jobmanager": "a new JobManager, and the job from its last checkpoint",
    "store": "the store",
}
"""What is killed, and what comes back for it."""

KINDS = tuple(RECOVERY)
WRITER = "partition_bridge.writer"
LANDING = 0.5  # seconds in which a request that was under way has its effect
WRITER_END = 20  # seconds


class NoOpenUpload(Exception):
    """The crash would have proven nothing: no upload was open at any moment that was looked at."""


class WriterLeft(Exception):
    """A writer process has outlived its JVM: it might still publish."""


def writers(cluster: FlinkCluster) -> list[psutil.Process]:
    """The writer processes that the living TaskManagers have started."""
    found = []
    for taskmanager in cluster.taskmanagers:
        if taskmanager.alive:
            for child in psutil.Process(taskmanager.pid).children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    if WRITER in child.cmdline():
                        found.append(child)
    return found


@contextmanager
def frozen(processes: list[psutil.Process]) -> Iterator[None]:
    """Stop processes for a moment: what is open stays open while it is looked at."""
    for each in processes:
        each.suspend()
    try:
        yield
    finally:
        for each in processes:
            with suppress(psutil.NoSuchProcess):
                each.resume()


def crash(kind: str, cluster: FlinkCluster, server: S3Server, lake: Lake, say: Callable[[str], None]) -> None:
    """Wait until a multipart upload is open, and kill -9 while it still is.

    Writers that lose their JVM must end by themselves: their standard input has ended.
    """
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if not lake.uploads():
            continue
        started = writers(cluster)
        with frozen(started or [psutil.Process(each.pid) for each in cluster.taskmanagers if each.alive]):
            # Looked at again: between the first look and the freeze a writer may have completed everything, or begun more.
            time.sleep(LANDING)
            uploads = lake.uploads()
            if not any(lake.parts_of(each) for each in uploads):
                continue
            victims = _victims(kind, cluster, server)
            pids = ", ".join(str(pid) for pid, _ in victims)
            say(f"kill -9 {kind}, pid {pids}, while {len(uploads)} uploads are open:")
            for each in uploads:
                say(f"  key {each.key} upload id {each.upload_id} parts sent {lake.parts_of(each)}")
            for _, kill in victims:
                kill()
        if kind == "taskmanager":
            _, left = psutil.wait_procs(started, timeout=WRITER_END)
            if left:
                raise WriterLeft(f"writers {[each.pid for each in left]} live on {WRITER_END} s after their JVM's death")
        return
    raise NoOpenUpload(f"no upload with a part sent was open for 60 s: killing the {kind} now would prove nothing")


def _victims(kind: str, cluster: FlinkCluster, server: S3Server) -> list[tuple[int, Callable[[], None]]]:
    if kind == "writer":
        # All writers of the table: an upload's id doesn't tell which process began it.
        return [(each.pid, each.kill) for each in writers(cluster)]
    process = {
        "taskmanager": cluster.taskmanagers[-1],
        "jobmanager": cluster.jobmanager,
        "store": server.process,
    }[kind]
    return [(process.pid, process.kill)]


def reason(cluster: FlinkCluster, job: str) -> str:
    """Why Flink says that the job failed, in one line; nothing where it doesn't say (a new JobManager doesn't know)."""
    failures = cluster.jobs.exceptions(job)
    return " from: " + str(failures[0]["stacktrace"]).splitlines()[0] if failures else ""


def recover(kind: str, cluster: FlinkCluster, server: S3Server, job: str, resubmit: Callable[[str], str]) -> str:
    """Bring back what an operator would bring back; Flink does the rest. The id of the job that goes on."""
    if kind == "taskmanager":
        cluster.add_taskmanager()
    elif kind == "store":
        server.restart()
    elif kind == "jobmanager":
        cluster.restart_jobmanager()
        cluster.wait_ready()
        return resubmit(cluster.latest_checkpoint(job).as_uri())
    return job
