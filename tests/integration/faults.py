"""Writer processes, seen from outside, and the named points at which one can be held and killed."""

import json
import os
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import psutil

Found = TypeVar("Found")


def wait_for(what: str, look: Callable[[], Found | None], timeout: float = 90) -> Found:
    """The first answer of `look` that isn't empty. Fails with `what` was waited for after `timeout` seconds."""
    began = time.monotonic()
    while True:
        found = look()
        if found:
            return found
        waited = time.monotonic() - began
        if waited > timeout:
            raise AssertionError(f"waited {timeout:.0f} s in vain for {what}")
        # A look is often a request: what takes its time anyway isn't made slower by being asked.
        time.sleep(0.05 if waited < 2 else 0.2)


def stays_false(what: str, look: Callable[[], object], seconds: float = 2) -> None:
    """Look for so long, and fail as soon as `what` is there."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert not look(), f"{what} came too early"
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
    """A process at a point at a time (epoch seconds), and what it says of it: key, upload id, number of the part, checkpoint."""

    point: str
    pid: int
    time: float
    facts: dict[str, Any]


class FaultPoints:
    """A folder that the writers look into: what they reached, and where they must wait (partition_bridge/faultpoint.py)."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._log = folder / "reached.jsonl"
        self._read = 0
        self._known: defaultdict[str, list[Reached]] = defaultdict(list)

    def clear(self) -> None:
        for each in self.folder.iterdir():
            each.unlink()
        self._read = 0
        self._known.clear()

    def log(self) -> list[Reached]:
        """Every time that a writer reached any point, in order."""
        self._read_on()
        every = [each for point, lines in self._known.items() if not point.startswith("held.") for each in lines]
        return sorted(every, key=lambda each: each.time)

    def reached(self, point: str) -> list[Reached]:
        """Every time that a writer reached the point, in order."""
        self._read_on()
        return self._known[point]

    def no_completion_is_under_way(self, under: str = "") -> bool:
        """Every completion of a key below `under` that a living writer has begun, and that isn't held before it, has ended.

        Of what is in the log: where it was cleared in the middle of a completion, that one isn't known.
        """
        begun, held, ended = (
            {(each.pid, each.facts["key"]) for each in self.reached(point) if each.facts["key"].startswith(under)}
            for point in ("commit-before-complete", "held.commit-before-complete", "commit-after-complete")
        )
        return not any(psutil.pid_exists(pid) for pid, _ in begun - held - ended)

    def _read_on(self) -> None:
        """Take up what has been written since the last look; a line that is being written waits for the next."""
        if not self._log.exists():
            return
        with self._log.open("rb") as log:
            log.seek(self._read)
            new = log.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in map(json.loads, whole.splitlines()):
            self._known[line["point"]].append(Reached(line["point"], int(line["pid"]), float(line["time"]), line["facts"]))

    @contextmanager
    def hold(self, point: str, **facts: Any) -> Iterator[Callable[[], int]]:
        """While in it, a writer that reaches the point with these facts waits there. Gives a function that waits for one: its pid."""
        with self.holding(point, **facts) as held:
            yield lambda: wait_for(f"a writer at {point}", held)[0].pid

    @contextmanager
    def holding(self, point: str, **facts: Any) -> Iterator[Callable[[], list[Reached]]]:
        """As `hold`, with a function that says who waits there or has waited so far; never one that was past it when the hold came."""
        file = self.folder / f"hold.{point}"
        before = len(self.reached(f"held.{point}"))
        # Renamed, so that nobody reads half of it.
        aside = file.with_name(f"new.{point}")
        aside.write_text(json.dumps(facts))
        aside.rename(file)
        try:
            yield lambda: [replace(each, point=point) for each in self.reached(f"held.{point}")[before:]]
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
