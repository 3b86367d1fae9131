"""Named points at which a test can stop a writer process and kill it there, or have it fail.

Without ``fault_points`` in the start message ``reach`` does nothing. With it, each point that is reached is appended to
``reached.jsonl`` in that folder, and while a file ``hold.<point>`` exists there, or ``hold.<point>.<pid>`` with its own pid, the
thread waits at the point: where the file holds a JSON object, only with these facts. That it waits is appended as ``held.<point>``.
Where ``raise.<point>`` exists it raises.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

Reach = Callable[..., None]


def nowhere(point: str, **facts: object) -> None:
    """The fault points of a writer outside tests."""


def in_folder(folder: str | None) -> Reach:
    """Fault points that report to and wait for files in ``folder``; ``nowhere`` without one."""
    if folder is None:
        return nowhere
    base = Path(folder)

    def reach(point: str, **facts: object) -> None:
        _note(base, point, facts)
        if _held(base, point, facts):
            _note(base, f"held.{point}", facts)
            while _held(base, point, facts):
                time.sleep(0.01)
        if (base / f"raise.{point}").exists():
            raise RuntimeError(f"a test raises at {point}")

    return reach


def _note(base: Path, point: str, facts: dict[str, object]) -> None:
    line = json.dumps({"point": point, "pid": os.getpid(), "time": time.time(), "facts": facts})
    with (base / "reached.jsonl").open("a", encoding="utf-8") as log:
        log.write(line + "\n")


def _held(base: Path, point: str, facts: dict[str, object]) -> bool:
    return any(_holds(base / name, facts) for name in (f"hold.{point}", f"hold.{point}.{os.getpid()}"))


def _holds(file: Path, facts: dict[str, object]) -> bool:
    try:
        wanted = json.loads(file.read_text(encoding="utf-8") or "{}")
    except FileNotFoundError:
        return False
    return all(facts.get(name) == value for name, value in wanted.items())
