"""Writers in odd circumstances: `python -m tests.integration.odd_writers KIND FOLDER -m partition_bridge.writer`, the last two from the shim.

tight   the writer that first sees the file `tight` in the folder takes it away, and gets no more memory from then on
clock   each writer's clock is off by the seconds that the file `clock` holds
"""

import datetime as dt
import resource
import runpy
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tests.support.interpreters import interpreter

LOOK_SECONDS = 0.05


def odd_writers(kind: str, folder: Path) -> Path:
    """A `python.executable` for writers of this kind."""
    return interpreter(folder / f"python-{kind}", "tests.integration.odd_writers", kind, str(folder))


def tight(folder: Path) -> None:
    """As in a container whose limit is reached, but that the kernel says no instead of ending somebody."""

    def watch() -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            try:
                (folder / "tight").unlink()
            except FileNotFoundError:
                continue
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize(), resource.RLIM_INFINITY))
            return

    threading.Thread(target=watch, daemon=True).start()


def clock(folder: Path) -> None:
    """Put another clock under whatever is imported from now on."""
    right = time.time

    def off() -> float:
        return float((folder / "clock").read_text())

    class Datetime(dt.datetime):
        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> "Datetime":
            return cls.fromtimestamp(time.time(), tz)

        @classmethod
        def utcnow(cls) -> "Datetime":
            return cls.fromtimestamp(time.time(), dt.timezone.utc).replace(tzinfo=None)

    time.time = lambda: right() + off()
    time.time_ns = lambda: int(time.time() * 1e9)
    dt.datetime = Datetime  # type: ignore[misc]


KINDS: dict[str, Callable[[Path], None]] = {"tight": tight, "clock": clock}

if __name__ == "__main__":
    KINDS[sys.argv[1]](Path(sys.argv[2]))
    runpy.run_module("partition_bridge.writer", run_name="__main__")
