"""Counts for the control call ``metrics``: facts that have happened, so that a failover counts nothing twice."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass


@dataclass
class Counters:
    """Names are those of docs/protocol.md; changed under the desk's lock."""

    parts_uploaded: int = 0
    bytes_uploaded: int = 0
    uploads_created: int = 0
    part_retries: int = 0
    rows: int = 0

    def values(self, open_files: int, bytes_buffered: int) -> dict[str, int]:
        return {"open_files": open_files, "bytes_buffered": bytes_buffered, **asdict(self)}


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
