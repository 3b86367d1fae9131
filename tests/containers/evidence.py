"""docs/evidence/containers.{json,md}: what `make containers EVIDENCE=1` has shown. Nothing is written of a run that failed."""

import re
import time
from pathlib import Path
from typing import Any

import pytest

from tests.faults.report import a_line_each, commit

CHAOS = re.compile(r"test_chaos\[(\w+)-(.+)\]")
PAIR = re.compile(r"test_two_are_lost\[(\w+)-(\w+)-(.+)\]")


class Evidence:
    """A plugin of pytest that listens to the run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tested, self._began = commit(), time.monotonic()
        self._results: dict[str, dict[str, Any]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Setup, call and teardown of a test; the first of a file's tests starts its containers."""
        name = report.nodeid.removeprefix("tests/containers/")
        result = self._results.setdefault(name, {"passed": True, "seconds": 0.0})
        result["passed"] &= report.passed
        if report.when == "call":
            result["seconds"] = round(report.duration, 1)
            result |= dict(report.user_properties)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Both files, where all has passed."""
        if exitstatus != pytest.ExitCode.OK or not self._results:
            return
        head = {"commit": self._tested, "seconds": round(time.monotonic() - self._began), "tests": len(self._results)}
        done = dict(sorted(self._results.items()))
        (self._folder / "containers.json").write_text(a_line_each(head, "results", done))
        (self._folder / "containers.md").write_text(page(head, done))


def page(head: dict[str, Any], done: dict[str, dict[str, Any]]) -> str:
    """For people."""
    chaos = {found.groups(): result for name, result in done.items() if (found := CHAOS.search(name))}
    whos = list(dict.fromkeys(who for who, _ in chaos))
    pairs = {found.groups(): result for name, result in done.items() if (found := PAIR.search(name))}
    moments = list(dict.fromkeys(moment for _, moment in chaos))
    lines = [
        "# Containers: what a run has shown",
        "",
        f"`make containers EVIDENCE=1` at commit {head['commit']}: **{head['tests']} tests passed**, none was skipped, in {head['seconds']} s.",
        "",
        "## Chaos",
        "",
        "A job of two subtasks on two TaskManagers, commit policy `metastore,success-file`, Hive Metastore 4.0.1, versitygw, jobs kept in ZooKeeper. Somebody is held at",
        "the moment until the blow has fallen; the job goes on by itself. At each end: every row once, exactly the days' `_SUCCESS`, nothing else under the table's path,",
        "and the metastore lists exactly the partitions with `_SUCCESS`; both were polled meanwhile, and no `_SUCCESS` was seen without its entry.",
        "In the cells: seconds from the blow to the end of the job, and how often Flink restarted it.",
        "",
        "| lost | " + " | ".join(moments) + " |",
        "| --- |" + " ---: |" * len(moments),
        *["| " + " | ".join([who, *(_cell(chaos[who, moment]) for moment in moments)]) + " |" for who in whos],
        "",
        "Pairs, drawn by a seed: the second blow falls before the job has recovered from the first.",
        "",
        "| lost | then | moment | |",
        "| --- | --- | --- | ---: |",
        *[f"| {first} | {second} | {moment} | {_cell(result)} |" for (first, second, moment), result in pairs.items()],
        "",
        "## Tests",
        "",
        "| test | seconds |",
        "| --- | ---: |",
        *[
            f"| `{name}` | {result['seconds']} |"
            for name, result in done.items()
            if not (CHAOS.search(name) or PAIR.search(name))
        ],
    ]
    return "\n".join(lines) + "\n"


def _cell(result: dict[str, Any]) -> str:
    return f"{result['seconds from the blow']} s, {result['restarts']}"
