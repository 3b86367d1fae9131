"""What a run of Flink's suites may not get away with."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.peer.suites import RUNS
from tests.peer.verdict import EXCEPTIONS, troubles

Runs = dict[str, dict[str, dict[str, Any]]]
WRITES = "io.partitionbridge.peer.StreamTables$Parquet"
EXCEPTED, TEST = min(EXCEPTIONS)


def _as_they_must_be() -> Runs:
    """Each class has one test that leaves a file, and the excepted ones fail on the bridge as parity says."""
    whole: Runs = {
        run: {suite: {"tests": {"testInsert": "passed"}, "files": {"testInsert": ["a"]}, "trouble": []} for suite in suites}
        for run, suites in RUNS.items()
    }
    for run, classes in whole.items():
        for suite, test in EXCEPTIONS:
            classes[suite]["tests"][test] = "passed" if run == "stock" else "failed"
    return whole


def test_runs_that_are_as_they_must_be_are_no_trouble() -> None:
    """The base that the next test spoils."""
    assert troubles(_as_they_must_be()) == []


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda runs: runs["s3"][WRITES]["tests"].update(testInsert="failed"), "testInsert failed, not passed"),
        (lambda runs: runs["s3"][WRITES]["tests"].update(testInsert="skipped"), "testInsert skipped, not passed"),
        (lambda runs: runs["stock"][WRITES]["tests"].update(testInsert="failed"), "testInsert failed, not passed"),
        (lambda runs: runs["local"][EXCEPTED]["tests"].update({TEST: "passed"}), "passed, not failed"),
        (lambda runs: runs["s3"][WRITES]["tests"].clear(), "ran no test"),
        (lambda runs: runs["stock"][WRITES]["tests"].update(testMore="passed"), "testMore hasn't run"),
        (lambda runs: runs["local"][WRITES]["tests"].update(testMore="passed"), "testMore isn't stock's"),
        (lambda runs: runs["s3"].pop(WRITES), "hasn't run"),
        (lambda runs: runs["s3"][WRITES]["files"].update(testInsert=[]), "testInsert left no file"),
        (lambda runs: runs["s3"][WRITES]["trouble"].append("testInsert: a has no token"), "has no token"),
    ],
)
def test_what_is_spoiled_is_told(spoil: Callable[[Runs], object], told: str) -> None:
    """A test that fails, is skipped, is missing or left no file; a class that didn't run; an object that isn't the bridge's."""
    runs = copy.deepcopy(_as_they_must_be())
    spoil(runs)
    assert any(told in each for each in troubles(runs)), "the trouble names it"
