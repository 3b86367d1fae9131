"""Named points at which a test can stop a writer process and kill it there, or have it fail.

Without ``fault_points`` in the start message ``reach`` does nothing. With it, each point that is reached is appended to
``reached.jsonl`` in that folder, and while a file ``hold.<point>`` exists there, or ``hold.<point>.<pid>`` with its own pid, the
thread waits at the point; where ``raise.<point>`` exists it raises.
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
        line = json.dumps({"point": point, "pid": os.getpid(), "time": time.time(), "facts": facts})
        with (base / "reached.jsonl").open("a", encoding="utf-8") as log:
            log.write(line + "\n")
        holds = (base / f"hold.{point}", base / f"hold.{point}.{os.getpid()}")
        while any(each.exists() for each in holds):
            time.sleep(0.01)
        if (base / f"raise.{point}").exists():
            raise RuntimeError(f"a test raises at {point}")

    return reach
