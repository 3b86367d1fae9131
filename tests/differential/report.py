"""Results kept as they come, so that a run can be taken up again; what is printed of them, and docs/evidence/differential.{json,md}."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.differential.rules import RULES, too_broad, unused
from tests.faults.report import BUILD, EVIDENCE, keep_at, kept_at

KEPT = BUILD.parent / "differential"
Results = dict[str, dict[str, Any]]
SHARES = {"arrow": 0.6, "host": 0.3}
"""Least share of each encoder, and below, the largest of tables that both sinks refuse; asked of runs that are long enough to have shares."""
REFUSED, LONG = 0.02, 500


class Kept:
    """The results of a seed by table number; those of another commit are forgotten."""

    def __init__(self, seed: int, commit: str, folder: Path = KEPT) -> None:
        self._path = folder / f"seed-{seed}.json"
        known = kept_at(commit, self._path)
        self.tables: Results = known.get("tables", {})
        self.cpu_seconds: float = known.get("cpu_seconds", 0.0)
        self._commit = commit

    def done(self, number: int) -> bool:
        """Whether it has been compared and nothing was left to explain; what failed is tried again."""
        return str(number) in self.tables and not self.tables[str(number)]["unexplained"]

    def add(self, results: Mapping[int, dict[str, Any]], cpu_seconds: float) -> None:
        """Those of a group, and what it has cost."""
        self.tables |= {str(number): result for number, result in results.items()}
        self.cpu_seconds += cpu_seconds
        keep_at(self._commit, self._path, cpu_seconds=self.cpu_seconds, tables=self.tables)


def summary(tables: Results) -> dict[str, Any]:
    """The numbers of a run."""
    used: dict[str, set[int]] = {rule.name: set() for rule in RULES}
    types, nulls, options, formats, unread = Counter[str](), Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for number, each in tables.items():
        for rule in each["rules"]:
            used[rule].add(int(number))
        types.update(each["types"])
        nulls.update(each["nulls"])
        options.update(f"{key} = {value}" for key, value in each["options"] if key != "format")
        formats[f"{each['format']}, {each['mode']}"] += 1
        unread.update(each["unread"].keys())
    return {
        "tables": len(tables),
        "encoders": dict(Counter(each["encoder"] for each in tables.values())),
        "files": sum(each["files"] for each in tables.values()),
        "formats": dict(sorted(formats.items())),
        "types": dict(sorted(types.items())),
        "types with NULL": {kind: nulls[kind] for kind in sorted(types)},
        "options": dict(sorted(options.items())),
        "partitioned": sum(bool(each["partitions"]) for each in tables.values()),
        "rules": {name: len(numbers) for name, numbers in used.items()},
        "rules without use": unused(used),
        "coverage": _matrix(tables),
        "overwritten": sum(each["overwritten"] for each in tables.values()),
        "read by Spark": sum(each["spark"] for each in tables.values()),
        "refusals": {number: each["refused"] for number, each in tables.items() if each["refused"]},
        "rules that are too broad": too_broad(used, len(tables)),
        "read by neither side's reader": dict(unread),
        "refused by both sinks": sum(bool(each["refused"]) and not each["unexplained"] for each in tables.values()),
        "unexplained": {number: each["unexplained"] for number, each in tables.items() if each["unexplained"]},
    }


def shortfalls(numbers: dict[str, Any], asked: int) -> list[str]:
    """Why a run without anything unexplained doesn't yet show what it is for."""
    tables = numbers["tables"]
    found = [f"{tables} of {asked} tables were compared: run it again, and it goes on there"] if tables < asked else []
    if tables >= LONG:
        shares = {name: numbers["encoders"].get(name, 0) / tables for name in SHARES}
        found += [
            f"{shares[name]:.1%} by {name}, of at least {least:.0%}" for name, least in SHARES.items() if shares[name] < least
        ]
        refused = numbers["refused by both sinks"] / tables
        found += [f"{refused:.1%} refused by both sinks, of at most {REFUSED:.0%}"] if refused > REFUSED else []
    return found


def _matrix(tables: Results) -> dict[str, dict[str, list[int]]]:
    """By type and option: tables with both, and those of them in which the type has a NULL."""
    found: dict[str, dict[str, list[int]]] = {}
    for each in tables.values():
        for kind in each["types"]:
            for key in {"format": "", **dict(each["options"])}:
                cell = found.setdefault(kind, {}).setdefault(key, [0, 0])
                cell[0] += 1
                cell[1] += kind in each["nulls"]
    return {kind: dict(sorted(cells.items())) for kind, cells in sorted(found.items())}


def matrix(numbers: dict[str, Any]) -> list[str]:
    """The same as a table: a row for each option, a column for each type."""
    kinds = list(numbers["coverage"])
    keys = sorted({key for cells in numbers["coverage"].values() for key in cells})
    rows = [[key, *("/".join(map(str, numbers["coverage"][kind].get(key, (0, 0)))) for kind in kinds)] for key in keys]
    return ["| tables/with NULL | " + " | ".join(kinds) + " |", "| --- " * (len(kinds) + 1) + "|"] + [
        f"| {' | '.join(row)} |" for row in rows
    ]


def lines(numbers: dict[str, Any]) -> list[str]:
    """For people at a terminal."""
    encoders = ", ".join(f"{count} by {name}" for name, count in numbers["encoders"].items())
    types = ", ".join(f"{name} {count}/{numbers['types with NULL'][name]}" for name, count in numbers["types"].items())
    return [
        f"tables: {numbers['tables']}, {numbers['partitioned']} of them partitioned, {numbers['files']} files a side",
        f"encoded: {encoders}; a fallback to Flink's sink fails the run",
        "formats: " + ", ".join(f"{name} {count}" for name, count in numbers["formats"].items()),
        f"types, in tables/with a NULL in it: {types}",
        "options: " + ", ".join(f"{name} {count}" for name, count in numbers["options"].items()),
        "rules, tables that they explain: " + ", ".join(f"{name} {count}" for name, count in numbers["rules"].items()),
        "not read, of either side: "
        + (", ".join(f"by {name} {count}" for name, count in numbers["read by neither side's reader"].items()) or "none"),
        f"overwritten by a second insert, in batch: {numbers['overwritten']}; read by Spark: {numbers['read by Spark']}",
        f"refused by both sinks, in the same words: {numbers['refused by both sinks']}",
        "rules that no table has needed: " + (", ".join(numbers["rules without use"]) or "none"),
        *(f"too broad a rule: {each}" for each in numbers["rules that are too broad"]),
        f"unexplained: {len(numbers['unexplained'])}",
    ]


def write(numbers: dict[str, Any], commit: str, tables: int, seed: int, folder: Path = EVIDENCE) -> None:
    """JSON for programs, a page for people. `commit` is what was tested; `tables`, how many were asked for."""
    command = f"make differential N={tables} SEED={seed}"
    ended = "" if numbers["tables"] == tables else f" It was ended after {numbers['tables']} of the {tables} tables."
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "differential.json").write_text(
        json.dumps({"commit": commit, "command": command, "seed": seed, **numbers}, indent=1) + "\n"
    )
    (folder / "differential.md").write_text(
        "\n".join(
            [
                "# The bridge against Flink's sink, table by table",
                "",
                f"`{command}` at commit {commit}.{ended} Random tables, the same rows through Flink's own `filesystem` sink and through",
                "`filesystem-bridge`; folders, announcements, calls of policies in their order, Parquet's types and codecs, and each value as pyarrow, DuckDB, Flink and (of a",
                "sample) Spark read it are compared; for what Flink's format encodes, the bytes. A difference that no row of [parity](../parity.md) explains fails.",
                "",
                *(f"- {line}" for line in lines(numbers)),
                *(f"- table {number}, refused by both: {why}" for number, why in numbers["refusals"].items()),
                "",
                "## Coverage",
                "",
                *matrix(numbers),
            ]
        )
        + "\n"
    )
