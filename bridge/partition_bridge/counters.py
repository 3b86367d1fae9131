"""Counts for the control call ``metrics``: facts that have happened, so that a failover counts nothing twice."""

from __future__ import annotations

import os
import threading
from collections import deque
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Counters:
    """Names are those of docs/protocol.md; changed under the desk's lock."""

    parts_uploaded: int = 0
    bytes_uploaded: int = 0
    uploads_created: int = 0
    part_retries: int = 0
    rows: int = 0


class PartTimes:
    """How long each part took to come to the store, in milliseconds, until they are taken. The oldest go first where nobody takes them."""

    _MOST = 1_000

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._millis: deque[int] = deque(maxlen=self._MOST)

    def add(self, seconds: float) -> None:
        with self._lock:
            self._millis.append(round(seconds * 1000))

    def take(self) -> list[int]:
        with self._lock:
            taken = list(self._millis)
            self._millis.clear()
            return taken


def resident_bytes() -> int:
    """Memory of this process that is in RAM; 0 where the system doesn't tell."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


class Tally:
    """A count that several threads add to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    def add(self) -> None:
        with self._lock:
            self._count += 1

    @property
    def count(self) -> int:
        return self._count
