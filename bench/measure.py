"""CPU of process trees, by the operating system's own accounting."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

import psutil


@dataclass(frozen=True)
class Cost:
    """Seconds. `cpu` is user + system of the measured processes and all their children, ended ones included."""

    wall: float
    cpu: float


class CpuMeter:
    """Reads the CPU time of processes that outlive the measurement, with children that may not.

    A child counts once its parent has reaped it, so `settled` waits until none is left alive: the writer processes end
    with their subtasks, and the JVM reaps them.
    """

    def __init__(self, pids: Iterable[int]) -> None:
        self._processes = [psutil.Process(pid) for pid in pids]

    def settled(self, timeout: float = 30) -> float:
        deadline = time.monotonic() + timeout
        while any(each.children(recursive=True) for each in self._processes):
            if time.monotonic() > deadline:
                raise RuntimeError("a measured process still has children: a writer outlived its job")
            time.sleep(0.05)
        return sum(_seconds(each) for each in self._processes)


def _seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)
