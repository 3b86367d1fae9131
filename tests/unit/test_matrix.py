"""What `make matrix` calls ok."""

from pathlib import Path

import pytest

from tests.matrix.lines import SUITES, Line, chosen
from tests.matrix.outcome import Outcome, read
from tests.matrix.report import Kept, verdict
from tests.support.flink import ROOT

LINE = Line("2.2.1")


def test_one_line_can_be_chosen() -> None:
    """By its two numbers or its three; what the matrix lacks is an error and not an empty run."""
    assert chosen("2.2") == chosen("2.2.1") == [LINE], "either name"
    assert len(chosen("")) > 1, "all without a name"
    with pytest.raises(ValueError, match=r"no Flink 2 in the matrix|no Flink 3"):
        chosen("3")


def test_every_module_of_the_matrix_exists() -> None:
    """A renamed module mustn't drop out unseen."""
    assert [suite for suite in SUITES if not (ROOT / "tests" / "integration" / f"{suite}.py").is_file()] == []


def test_a_report_is_read_case_by_case(tmp_path: Path) -> None:
    """Failures, errors and skips aren't ok; nor is a test that passed and then failed to clean up."""
    report = tmp_path / "report.xml"
    report.write_text(
        '<testsuites><testsuite time="3.5"><testcase name="good"/><testcase name="bad"><failure/></testcase>'
        '<testcase name="left"><skipped/></testcase><testcase name="unclean"/><testcase name="unclean"><error/></testcase>'
        "</testsuite></testsuites>"
    )
    assert read(report) == Outcome(["good"], ["bad", "unclean"], ["left"], 3.5)
    assert not read(tmp_path / "none.xml").ok, "pytest has died"


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (Outcome(["a", "b"]), "flink 2.2.1: ok (2 tests)"),
        (Outcome(["a"], ["b"]), "flink 2.2.1: FAILED (suite: b)"),
        (Outcome(["a"], [], ["c"]), "flink 2.2.1: FAILED (suite: c)"),
        (Outcome(), "flink 2.2.1: FAILED (suite: no test)"),
    ],
)
def test_a_line_is_ok_only_where_every_test_has_passed(outcome: Outcome, said: str) -> None:
    """A skipped test, or a module of which none has run, has shown nothing."""
    assert verdict(LINE, {"suite": outcome}) == said


def test_what_passed_is_known_at_the_same_commit_only(tmp_path: Path) -> None:
    """A run that was ended goes on where it was; one of another commit begins anew."""
    kept = tmp_path / "results.json"
    Kept("one", kept).add(LINE, "suite", Outcome(["a"]))
    assert Kept("one", kept).outcome(LINE, "suite").ok, "taken up again"
    assert not Kept("two", kept).outcome(LINE, "suite").ok, "another commit"
