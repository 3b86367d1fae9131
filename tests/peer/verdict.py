"""What the runs must have shown: as many classes and tests as stock Flink, all passed, and on S3 files of the bridge wherever stock left files."""

from collections.abc import Mapping
from typing import Any

from tests.peer.suites import COMPACTION, RUNS

Classes = Mapping[str, Mapping[str, Any]]
"""What `launch.Outcome.numbers` has said of each class."""

_PACKAGE = "org.apache.flink.connector.file.table."
EXCEPTIONS = {
    (_PACKAGE + "FileSystemTableFactoryTest", "testSourceSink"),
    (_PACKAGE + "FileSystemTableSinkTest", "testFileSystemTableSinkWithParallelismInStreaming"),
    (_PACKAGE + "FileSystemTableSinkTest", "testFileSystemTableSinkWithParallelismInBatch"),
}
"""Tests that only stock passes, by a row of docs/parity.md: they look at the sink's Java class, and at the names in a plan."""


def class_troubles(run: str, suite: str, outcome: Mapping[str, Any]) -> list[str]:
    """Of one class alone."""
    excepted = {test for of, test in EXCEPTIONS if of == suite and run != "stock"}
    found = [
        f"{run}: {suite}: {test} {came_to}, not {expected}"
        for test, came_to in outcome["tests"].items()
        if came_to != (expected := "failed" if test in excepted else "passed")
    ]
    found += [f"{run}: {suite}: {each}" for each in outcome["trouble"] if each.partition(":")[0] not in excepted]
    return found if outcome["tests"] else [*found, f"{run}: {suite} ran no test"]


def troubles(runs: Mapping[str, Classes]) -> list[str]:
    """Of all runs that there are; empty where all is as it must be."""
    found = [
        each
        for run, classes in runs.items()
        for suite, outcome in classes.items()
        for each in class_troubles(run, suite, outcome)
    ]
    for run, classes in runs.items():
        found += [f"{run}: {suite} hasn't run" for suite in RUNS[run] if suite not in classes]
    stock = runs.get("stock", {})
    for run in ("local", "s3"):
        for suite, theirs in stock.items() if run in runs else ():
            if run == "s3" and suite in COMPACTION:
                continue
            ours = runs[run].get(suite, {"tests": {}, "files": {}})
            found += [f"{run}: {suite}: {test} hasn't run" for test in theirs["tests"] if test not in ours["tests"]]
            found += [f"{run}: {suite}: {test} isn't stock's" for test in ours["tests"] if test not in theirs["tests"]]
            found += [f"{run}: {suite}: {test} left no file" for test in theirs["files"] if not ours["files"].get(test)]
    return found
