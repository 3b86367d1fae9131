"""Results kept as they come, so that a run can be taken up again; docs/evidence/peer.{json,md}."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.faults.report import BUILD, EVIDENCE, keep_at, kept_at
from tests.peer.suites import FLINKS_WRITERS, SUITES, short
from tests.peer.verdict import EXCEPTIONS, Classes, class_troubles

KEPT = BUILD.parent / "peer-results.json"


class Kept:
    """The classes of each run; those of another commit are forgotten."""

    def __init__(self, commit: str, path: Path = KEPT) -> None:
        self._path = path
        self.runs: dict[str, dict[str, dict[str, Any]]] = kept_at(commit, path).get("runs", {})
        self._commit = commit

    def done(self, run: str, suite: str) -> bool:
        """Whether it has run and was as it must be; what failed is tried again."""
        outcome = self.runs.get(run, {}).get(suite)
        return outcome is not None and not class_troubles(run, suite, outcome)

    def add(self, run: str, suite: str, outcome: dict[str, Any]) -> None:
        self.runs.setdefault(run, {})[suite] = outcome
        keep_at(self._commit, self._path, runs=self.runs)


def files(outcome: Mapping[str, Any]) -> int:
    """Data files that the tests of a class have left."""
    return sum(len(each) for each in outcome["files"].values())


def lines(runs: Mapping[str, Classes]) -> list[str]:
    """For people at a terminal."""
    return [
        f"{run}: {len(classes)} classes, {sum(len(each['tests']) for each in classes.values())} tests, "
        f"{sum(came_to != 'passed' for each in classes.values() for came_to in each['tests'].values())} not passed, "
        f"{sum(map(files, classes.values()))} data files, {sum(each['seconds'] for each in classes.values()):.0f} s"
        for run, classes in runs.items()
    ]


def write(runs: Mapping[str, Classes], troubles: Sequence[str], commit: str, folder: Path = EVIDENCE) -> None:
    """JSON for programs, a page for people. `commit` is what was tested."""
    numbers = {
        run: {
            suite: {"tests": each["tests"], "files": {test: len(names) for test, names in each["files"].items()}}
            for suite, each in sorted(classes.items())
        }
        for run, classes in runs.items()
    }
    whole = {"commit": commit, "command": "make peer EVIDENCE=1", "troubles": list(troubles), "runs": numbers}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "peer.json").write_text(json.dumps(whole, indent=1) + "\n")
    page = [
        "# Flink's own suites",
        "",
        f"`make peer EVIDENCE=1` at commit {commit}: Flink 2.3's suites of the filesystem connector on Flink's connector (`stock`), with the takeover",
        "(`local`: Flink's sink behind the bridge's factory) and on S3 (`s3`: the bridge itself, where each data file is an object with its mark).",
        "",
        *(f"- {line}" for line in lines(runs)),
        f"- not as stock, by a row of [parity](../parity.md): {', '.join(test for _, test in sorted(EXCEPTIONS))}",
        f"- operators of Flink's sink alone, without a table, whose files are Flink's on S3, too: {', '.join(map(short, FLINKS_WRITERS))}",
        f"- troubles: {len(troubles)}",
        *(f"  - {each.splitlines()[0]}" for each in troubles),
        "",
        "| tests / data files | " + " | ".join(runs) + " |",
        "| --- |" + " ---: |" * len(runs),
    ]
    page += [
        f"| {short(suite)} | "
        + " | ".join(
            f"{len(each['tests'])} / {files(each)}" if (each := classes.get(suite)) else "-" for classes in runs.values()
        )
        + " |"
        for suite in SUITES
    ]
    (folder / "peer.md").write_text("\n".join(page) + "\n")
