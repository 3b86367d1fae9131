"""docs/invariants.md: each invariant has tests, and these say so themselves."""

import re

import pytest

from tests.support.flink import ROOT

PAGE = (ROOT / "docs" / "invariants.md").read_text()
ROWS = {
    number: re.findall(r"`([^`]+)`", tests) for number, tests in re.findall(r"^\| (I\d+) \|.*\| ([^|]+) \|$", PAGE, re.MULTILINE)
}
SOURCES = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "java-shim" / "src" / "test").rglob("*.java")]
CITED = [(number, name) for number, names in ROWS.items() for name in names]


@pytest.mark.parametrize(("number", "name"), CITED)
def test_each_test_of_an_invariant_is_there_and_cites_it(number: str, name: str) -> None:
    """Who changes such a test finds the number in it, and who doubts the invariant finds the test."""
    texts = [each.read_text() for each in SOURCES if name in (each.name, each.stem)]
    assert texts, f"docs/invariants.md names {name}, which isn't there: name the test that shows {number} now"
    assert any(re.search(rf"\b{number}\b", text) for text in texts), f"{name} doesn't say that it shows {number}"


def test_every_invariant_has_tests() -> None:
    """Those of the architecture page, no more and no fewer, each with more than one."""
    declared = re.findall(r"^- \*\*(I\d+)\*\*", (ROOT / "docs" / "architecture.md").read_text(), re.MULTILINE)
    assert list(ROWS) == declared
    assert all(len(names) > 1 for names in ROWS.values()), "one test is one mistake away from none"
