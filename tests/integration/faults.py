"""Writer processes, seen from outside, and the named points at which one can be held and killed."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import psutil

Found = TypeVar("Found")


def wait_for(what: str, look: Callable[[], Found | None], timeout: float = 90) -> Found:
    """The first answer of `look` that isn't empty. Fails with `what` was waited for after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout:.0f} s in vain for {what}")
        time.sleep(0.05)


def writer_pids(taskmanager: int) -> list[int]:
    """Writer processes of a TaskManager, oldest first."""
    found = []
    with suppress(psutil.NoSuchProcess):
        for child in psutil.Process(taskmanager).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if "partition_bridge.writer" in child.cmdline() and child.status() != psutil.STATUS_ZOMBIE:
                    found.append((child.create_time(), child.pid))
    return [pid for _, pid in sorted(found)]


def kill_9(pid: int) -> None:
    """End a process as a crash does. One that is gone already is no error."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


@dataclass(frozen=True)
class Reached:
    """A process at a point, and what it says of it: key, upload id, number of the part, checkpoint."""

    pid: int
    facts: dict[str, Any]


class FaultPoints:
    """A folder that the writers look into: what they reached, and where they must wait (partition_bridge/faultpoint.py)."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._log = folder / "reached.jsonl"

    def clear(self) -> None:
        for each in self.folder.iterdir():
            each.unlink()

    def reached(self, point: str) -> list[Reached]:
        """Every time that a writer reached the point, in order."""
        if not self._log.exists():
            return []
        lines = [json.loads(line) for line in self._log.read_text().splitlines() if line.endswith("}")]
        return [Reached(int(line["pid"]), line["facts"]) for line in lines if line["point"] == point]

    @contextmanager
    def hold(self, point: str) -> Iterator[Callable[[], int]]:
        """While in it, a writer that reaches the point waits there. Gives a function that waits for one: its pid."""
        file = self.folder / f"hold.{point}"
        before = len(self.reached(point))
        file.touch()
        try:
            yield lambda: wait_for(f"a writer at {point}", lambda: self.reached(point)[before:])[0].pid
        finally:
            file.unlink(missing_ok=True)

    @contextmanager
    def hold_only(self, point: str, pid: int) -> Iterator[None]:
        """While in it, this one writer waits at the point."""
        file = self.folder / f"hold.{point}.{pid}"
        file.touch()
        try:
            yield
        finally:
            file.unlink(missing_ok=True)
