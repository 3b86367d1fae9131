"""CPU and memory of process trees, by the operating system's own accounting."""

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass

import psutil

_SAMPLE_SECONDS = 0.1


@dataclass(frozen=True)
class CpuTime:
    """Seconds, user + system: of the measured processes themselves, and of their children that have ended."""

    own: float
    children: float

    def __sub__(self, other: "CpuTime") -> "CpuTime":
        return CpuTime(self.own - other.own, self.children - other.children)


class CpuMeter:
    """Reads the CPU time of processes that outlive the measurement, with children that may not.

    A child counts once its parent has reaped it, so `settled` waits until none is left alive: the writer processes end
    with their subtasks, and the JVM reaps them.
    """

    def __init__(self, pids: Iterable[int]) -> None:
        self._processes = [psutil.Process(pid) for pid in pids]

    def settled(self, timeout: float = 30) -> CpuTime:
        deadline = time.monotonic() + timeout
        while any(each.children(recursive=True) for each in self._processes):
            if time.monotonic() > deadline:
                raise RuntimeError("a measured process still has children: a writer outlived its job")
            time.sleep(0.05)
        times = [each.cpu_times() for each in self._processes]
        return CpuTime(
            sum(float(each.user + each.system) for each in times),
            sum(float(each.children_user + each.children_system) for each in times),
        )


class PeakMemory:
    """The most resident bytes that all children of some processes have had at a time, for as long as the `with`: the writers of a TaskManager."""

    def __init__(self, pids: Iterable[int]) -> None:
        self._parents = [psutil.Process(pid) for pid in pids]
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self.bytes = 0

    def __enter__(self) -> "PeakMemory":
        self._thread.start()
        return self

    def __exit__(self, *ignored: object) -> None:
        self._over.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._over.wait(_SAMPLE_SECONDS):
            self.bytes = max(
                self.bytes, sum(_resident(each) for parent in self._parents for each in parent.children(recursive=True))
            )


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0
