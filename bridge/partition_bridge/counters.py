"""Counts for the control call ``metrics``: facts that have happened, so that a failover counts nothing twice."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass
class Counters:
    """Names are those of docs/protocol.md; changed under the desk's lock."""

    parts_uploaded: int = 0
    bytes_uploaded: int = 0
    uploads_created: int = 0
    files_committed: int = 0
    part_retries: int = 0
    rows: int = 0

    def values(self, open_files: int, bytes_buffered: int) -> dict[str, int]:
        return {"open_files": open_files, "bytes_buffered": bytes_buffered, **asdict(self)}
