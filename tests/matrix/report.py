"""Outcomes kept as they come, so that a run can be taken up again; docs/evidence/matrix.{json,md}."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.faults.report import EVIDENCE, ROOT, keep_at, kept_at
from tests.matrix.lines import Line
from tests.matrix.outcome import Outcome

KEPT = ROOT / "build" / "lines" / "results.json"
COMMAND = "make matrix EVIDENCE=1"


class Kept:
    """Outcomes by line and module; those of another commit are forgotten."""

    def __init__(self, commit: str, path: Path = KEPT) -> None:
        self._path, self.commit = path, commit
        self.lines: dict[str, dict[str, dict[str, Any]]] = kept_at(commit, path).get("lines", {})

    def outcome(self, line: Line, suite: str) -> Outcome:
        return Outcome(**self.lines.get(line.version, {}).get(suite, {}))

    def add(self, line: Line, suite: str, outcome: Outcome) -> None:
        self.lines.setdefault(line.version, {})[suite] = outcome.numbers()
        keep_at(self.commit, self._path, lines=self.lines)


def verdict(line: Line, outcomes: Mapping[str, Outcome]) -> str:
    """The line that `make matrix` ends with for a Flink."""
    if all(each.ok for each in outcomes.values()):
        return f"flink {line.version}: ok ({sum(len(each.passed) for each in outcomes.values())} tests)"
    bad = [f"{suite}: {', '.join([*each.failed, *each.skipped]) or 'no test'}" for suite, each in outcomes.items() if not each.ok]
    return f"flink {line.version}: FAILED ({'; '.join(bad)})"


def write(kept: Kept, lines: Sequence[Line], suites: Sequence[str], folder: Path = EVIDENCE) -> None:
    """JSON for programs, a page for people."""
    outcomes = {line: {suite: kept.outcome(line, suite) for suite in suites} for line in lines}
    numbers = {line.version: {suite: each.numbers() for suite, each in found.items()} for line, found in outcomes.items()}
    folder.mkdir(parents=True, exist_ok=True)
    whole = {"commit": kept.commit, "command": COMMAND, "lines": numbers}
    (folder / "matrix.json").write_text(json.dumps(whole, indent=1) + "\n")
    rows = [
        f"| {line.version} | `{suite}` | {len(each.passed)} | {len(each.failed) + len(each.skipped)} | {each.seconds:.0f} |"
        for line, found in outcomes.items()
        for suite, each in found.items()
    ]
    page = [
        "# Jobs on older lines of Flink",
        "",
        f"`{COMMAND}` at commit {kept.commit}: modules of tests/integration on pip's Flink of each line, with s3-fs-hadoop and the jar that is built against Flink 2.3.",
        "",
        *[f"- {verdict(line, found)}" for line, found in outcomes.items()],
        "",
        "| Flink | module | passed | not passed | seconds |",
        "| --- | --- | --- | --- | --- |",
        *rows,
    ]
    (folder / "matrix.md").write_text("\n".join(page) + "\n")
