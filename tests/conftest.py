"""What holds for every test: the order of the stages, how long each took, and that CI lets nothing be skipped."""

import os
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import settings

# A machine that is busy with other things is no fault of the example that ran meanwhile.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

pytest_plugins = ["tests.support.job_fixtures"]
"""The cluster of the job tests: one for all folders that need it."""

STAGES = ("unit", "contract", "metastores", "integration", "differential", "peer", "hazards", "containers", "soak", "faults")
"""The quick ones first, so that a plain mistake is reported in seconds. Folders not named here come last."""


SECONDS: dict[str, float] = defaultdict(float)
"""What the tests of each stage have taken so far, with their fixtures."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of single stages stand here: pytest reads no conftest further down before its arguments."""
    parser.addoption("--fault-seed", type=int, default=1, help="draws the fault cases that are run")


def pytest_report_header(config: pytest.Config) -> str:
    """The seed that gives the same fault cases again."""
    return f"fault seed: {config.getoption('--fault-seed')}"


def stage(item: pytest.Item) -> int:
    """The place of the test's folder in STAGES."""
    folder = item.path.relative_to(Path(__file__).parent).parts[0]
    return STAGES.index(folder) if folder in STAGES else len(STAGES)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order by stage; the sort is stable, so the random order within a stage stays."""
    items.sort(key=stage)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count setup, test and teardown for the folder under tests/."""
    SECONDS[report.nodeid.split("/")[1]] += report.duration


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say where the time went."""
    terminalreporter.write_line(", ".join(f"[{name}] {seconds:.0f} s" for name, seconds in SECONDS.items()))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """With CI=true a skip or an expected failure fails the run: what isn't looked at isn't known to work."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") != "true" or reporter is None:
        return
    unseen = {kind: len(reporter.stats.get(kind, ())) for kind in ("skipped", "xfailed")}
    if any(unseen.values()) and session.exitstatus == pytest.ExitCode.OK:
        reporter.write_line("")
        reporter.write_line(f"CI=true allows no skips and no xfails: {unseen}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
