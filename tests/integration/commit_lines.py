"""What the TaskManagers' logs tell of files that became visible (docs/metrics.md, "Log")."""

import re
from dataclasses import dataclass
from datetime import datetime

from tests.support.flink import FlinkCluster

_LINE = re.compile(
    r"^(?P<time>[\d-]+ [\d:,]+) INFO .* (?P<what>Visible|Restored, (?P<outcome>\w+)): s3a?://[^/]+/(?P<key>\S+)"
    r" \(partition '[^']*', (?P<rows>\d+) rows, (?P<bytes>\d+) bytes, ",
    re.MULTILINE,
)


@dataclass(frozen=True)
class FileLine:
    """One line. `outcome` is "visible" for a commit, else that of the restore; `time` in epoch seconds."""

    time: float
    outcome: str
    key: str
    rows: int
    bytes: int

    @property
    def counted(self) -> bool:
        """Whether `filesCommitted` and `bytesCommitted` have the file."""
        return self.outcome in ("visible", "completed")


def commit_lines(cluster: FlinkCluster) -> list[FileLine]:
    """Of all attempts, also those that were killed: a line is in the file before the next step is taken."""
    return [
        FileLine(
            datetime.strptime(found["time"], "%Y-%m-%d %H:%M:%S,%f").astimezone().timestamp(),
            found["outcome"] or "visible",
            found["key"],
            int(found["rows"]),
            int(found["bytes"]),
        )
        for found in _LINE.finditer(cluster.logged("*taskexecutor*.log*"))
    ]
