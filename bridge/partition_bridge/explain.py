"""Who would write the tables of a SQL file: planned by Flink's own planner (``io.partitionbridge.explain.SqlExplanation``), never run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from partition_bridge.errors import Configuration, Fail
from partition_bridge.flink_report import report_of
from partition_bridge.install.flink_home import FlinkHome
from partition_bridge.install.shim import ShimJar

_MAIN = "io.partitionbridge.explain.SqlExplanation"
_SHOWN = 60


@dataclass(frozen=True)
class PlannedSink:
    """A table that an INSERT writes to. ``statement``: its place in the file, from 1. ``mode``: streaming or batch.

    ``writer``: "arrow" and "host" for the bridge with pyarrow and with Flink's format, "flink" for Flink's own sink, None for another connector;
    then what is below it is None as well. ``reason``: why it isn't "arrow". ``policies``: None where no partitions are committed.
    """

    statement: int
    table: str
    connector: str | None
    mode: str
    checkpoint_interval_ms: int | None
    writer: str | None
    path: str | None
    format: str | None
    policies: str | None
    reason: str | None
    remedy: str | None

    @property
    def never_visible(self) -> bool:
        """A stream without checkpoints shows nothing before its end, which most streams never come to."""
        return self.writer is not None and self.mode == "streaming" and self.checkpoint_interval_ms is None


def explain(java: str, home: FlinkHome, own: ShimJar, statements: Sequence[str]) -> list[PlannedSink]:
    """In the order of the statements. Raises ``Configuration`` for a statement that Flink refuses, ``Fail`` where its JVM gives no answer."""
    try:
        explained = report_of(java, home, own, _MAIN, "explained", told=json.dumps(list(statements)))
    except Fail as silent:
        raise Fail(f"Flink's planner gives no answer: {silent}. `partition-bridge doctor` looks for the cause") from None
    for each in explained:
        if "error" in each:
            number = each["statement"]
            where = f"statement {number}, {_beginning(statements[number - 1])}" if number else "the file"
            raise Configuration(f"{where}, is refused: " + "\n".join(each["error"]))
    return [PlannedSink(**each) for each in explained]


def _beginning(statement: str) -> str:
    line = " ".join(statement.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
