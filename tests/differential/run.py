"""A group of tables through one job, read and compared; what is unexplained is written again with single columns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.differential.compare import Difference, differences, encoder, refusals
from tests.differential.read import Contents, contents, read_by_flink, read_locally
from tests.differential.rules import rule_of
from tests.differential.stage import Stage
from tests.differential.tables import Table
from tests.differential.write import SIDES, Written, declared, write

GROUP = 20
"""Tables of one job."""
SPARK_EVERY, SELDOM = 3, 24
"""Spark takes as long as all other readers together, so it reads each third table; of those with a TIME, which it can't read, a few."""


@dataclass
class Result:
    """What one table has shown."""

    table: Table
    mode: str
    encoder: str = "refused"
    files: int = 0
    rules: set[str] = field(default_factory=set)
    unexplained: list[Difference] = field(default_factory=list)
    refused: str = ""
    unread: dict[str, str] = field(default_factory=dict)
    spark: bool = False

    def numbers(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "mode": self.mode,
            "format": self.table.format,
            "encoder": self.encoder,
            "files": self.files,
            "types": sorted(self.table.families),
            "nulls": sorted(_nulls(self.table)),
            "options": sorted(self.table.options.items()),
            "partitions": [kind.sql for _, kind in self.table.partitions],
            "overwritten": self.mode == "batch" and bool(self.table.again),
            "spark": self.spark,
            "rules": sorted(self.rules),
            "unexplained": [str(each) for each in self.unexplained],
            "refused": self.refused,
            "unread": self.unread,
        }

    def story(self) -> str:
        """All that it takes to see an unexplained difference again."""
        columns = declared((*self.table.data_columns, *self.table.partitions))
        lines = [
            f"{self.table.name}, {self.mode}: CREATE TABLE t ({columns})",
            f"  partitioned by {[name for name, _ in self.table.partitions]}",
        ]
        return "\n".join([*lines, f"  with {self.table.options}", *(f"  {each}" for each in self.unexplained)])


def run(
    stage: Stage,
    tables: Sequence[Table],
    mode: str,
    disk: Path,
    by_flink: int | None = None,
) -> list[Result]:
    """Write, read and compare one group. `by_flink`: how many tables Flink reads, where not all that it can."""
    disk.mkdir(parents=True, exist_ok=True)
    return look(stage, write(stage, tables, mode, disk), mode, disk / "copies", by_flink)


def look(stage: Stage, written: Sequence[Written], mode: str, copies: Path, by_flink: int | None = None) -> list[Result]:
    """Read and compare what is there of the tables, by copies in a folder that is new."""
    sides: dict[tuple[int, str], Contents] = {}
    for each in written:
        for place in () if each.refused else (each.ours, each.theirs):
            side = sides[each.table.number, place.connector] = contents(place)
            if each.table.format == "parquet":
                sampled = (
                    stage.spark if each.table.number % (SELDOM if "TIME" in each.table.families else SPARK_EVERY) == 0 else None
                )
                read_locally(each.table, side, copies / place.folder, sampled)
    unread = read_by_flink(
        stage.lake, [each for each in written if not each.refused and each.table.format == "parquet"], sides, by_flink
    )
    return [_result(each, mode, sides, unread) for each in written]


def _result(written: Written, mode: str, sides: dict[tuple[int, str], Contents], unread: dict[int, str]) -> Result:
    table, result = written.table, Result(written.table, mode)
    found = refusals(written)
    if written.refused:
        result.refused = " | ".join(f"{side}: {why}" for side, why in written.refused.items())
    else:
        ours, theirs = (sides[table.number, side] for side in SIDES)
        found = differences(table, ours, theirs, unordered=mode == "batch" and written.theirs.local)
        result.encoder, result.files = encoder(ours.files), len(ours.files)
        result.spark = "error" not in ours.read.get("Spark", {"error": {}})
        result.unread = {reader: rows["error"]["error"] for reader, rows in ours.read.items() if "error" in rows}
        if table.number in unread:
            result.unread["Flink"] = unread[table.number][:120]
    for each in found:
        rule = rule_of(table, each)
        if rule:
            result.rules.add(rule.name)
        else:
            result.unexplained.append(each)
    return result


def shrink(stage: Stage, failed: Sequence[Result], disk: Path) -> list[Result]:
    """The tables with one column that differs, or with the partitions alone: those of them that still differ."""
    smaller: dict[str, list[Table]] = {}
    for result in failed:
        columns: set[str | None] = {each.column for each in result.unexplained if each.column}
        for column in columns or {None}:
            smaller.setdefault(result.mode, []).append(
                result.table.only(column) if result.table.format != "raw" else result.table
            )
    results: list[Result] = []
    for mode, tables in smaller.items():
        for place, table in enumerate(tables[:GROUP]):
            results += run(stage, [table], mode, disk / f"{mode}-{place}")
    return [each for each in results if each.unexplained]


def _nulls(table: Table) -> set[str]:
    """Families of which a value, or a part of one, is NULL."""
    return {
        family
        for name, kind in (*table.columns, *table.partitions)
        for family in kind.families
        if any(_has_null(row[name]) for row in (*table.rows, *table.again))
    }


def _has_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_null, value.values()))
    return any(map(_has_null, value)) if isinstance(value, list) else value is None
