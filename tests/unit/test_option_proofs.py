"""The harness of `make option-proofs`: it can ignore every option of the page, and takes nothing for a proof that is none."""

from pathlib import Path

import pytest

from tests.options import mutant, report
from tests.options.page import Option, is_java, node_id, options
from tests.options.proof import Came, read
from tests.support.flink import ROOT

SURVIVED = '<testcase classname="tests.integration.test_x" name="test_x[arrow]"/>'
FAILED = (
    '<testcase classname="tests.integration.test_x" name="test_x[host]"><failure message="assert 1 == 2&#10;more"/></testcase>'
)
ENDED = FAILED.replace("assert 1 == 2", "SystemExit: 143")
BROKEN = '<testcase classname="tests.integration.test_x" name="test_x[host]"><error message="no server"/></testcase>'
JUST_ARROW = FAILED.replace("host", "arrow")
JAVA = '<testcase classname="io.partitionbridge.table.XTest" name="refuses(String, String)[2]"><failure message="expected"/></testcase>'


def came(tmp_path: Path, test: str, *cases: str) -> Came:
    """What the test came to, by a report with these cases."""
    file = tmp_path / "report.xml"
    file.write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")
    return read([test], [file])[test]


def test_every_row_of_the_page_can_be_proved() -> None:
    """Each option of the generated page has tests that are found, one each."""
    rows = [line for line in (ROOT / "docs" / "options.md").read_text().splitlines() if line.startswith("| `")]
    assert len(options()) == len(rows) > 50, "each row is an option with its tests"
    for option in options():
        assert option.tests, f"{option.key} names a test"
        for test in option.tests:
            assert is_java(test) or "::" in node_id(test)


def test_the_mutation_fits_the_factory() -> None:
    """Whoever changes the factory changes the mutation with it, and not at the next long run."""
    factory = ROOT / "java-shim" / mutant.TABLE / "BridgeTableFactory.java"
    assert mutant.mutated(factory.read_text()).count("IgnoredOption.of(given, ") == 2


def test_a_test_that_fails_has_noticed(tmp_path: Path) -> None:
    """Of Python and of Java, by what it said first."""
    python, java = came(tmp_path, "test_x", FAILED), came(tmp_path, "XTest.refuses", JAVA)
    assert (python.noticed, python.why) == (True, "host: assert 1 == 2")
    assert (java.noticed, java.why) == (True, "2: expected")


def test_a_test_that_notices_with_one_encoder_only_has_not(tmp_path: Path) -> None:
    """The option is handled twice, so both must show it."""
    assert report.verdict(came(tmp_path, "test_x", SURVIVED, FAILED)) == report.UNNOTICED
    assert report.verdict(came(tmp_path, "test_x", SURVIVED)) == report.UNNOTICED


@pytest.mark.parametrize("cases", [(), (BROKEN,), (SURVIVED, BROKEN), (JUST_ARROW, BROKEN), (JUST_ARROW, ENDED)])
def test_a_fixture_that_fails_proves_nothing(tmp_path: Path, cases: tuple[str, ...]) -> None:
    """A server that doesn't start says nothing about an option; a test that wasn't run neither."""
    assert report.verdict(came(tmp_path, "test_x", *cases)) == report.TROUBLE
    assert not came(tmp_path, "test_x", *cases).passed


def test_verdicts_are_of_their_commit(tmp_path: Path) -> None:
    """An ended run goes on where it was, and one of another commit starts anew."""
    option, file = Option("a", "arrow", ("test_x",)), tmp_path / "kept.json"
    report.Kept("one", file).add(option, {"test_x": Came({"arrow": "assert"})})
    assert report.Kept("one", file).proved(option)
    assert not report.Kept("two", file).proved(option)


def test_the_page_tells_what_was_not_run(tmp_path: Path) -> None:
    """Evidence of a part of the options doesn't pass for that of all."""
    done, other = Option("a", "arrow", ("test_x",)), Option("b", "host", ("test_y",))
    kept = report.Kept("one", tmp_path / "kept.json")
    kept.add(done, {"test_x": Came({"arrow": "assert 1 == 2"})})
    report.write(kept, [done, other], tmp_path)
    page = (tmp_path / "options.md").read_text()
    assert "**1 of 2 tests of 2 options noticed**" in page
    assert "**1 have not been run at this commit yet.**" in page
    assert "| `a` | `test_x` | noticed | arrow: assert 1 == 2 |" in page
    assert "| `b` | `test_y` | not run |  |" in page
