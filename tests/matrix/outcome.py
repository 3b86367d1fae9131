"""What pytest says of one module of tests on one line, read from its JUnit report."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET


@dataclass(frozen=True)
class Outcome:
    """`passed` and `failed` are names of test cases; `seconds` of wall time."""

    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """A module of which nothing ran, or something was skipped, has shown nothing."""
        return bool(self.passed) and not self.failed and not self.skipped

    def numbers(self) -> dict[str, Any]:
        return asdict(self)


def read(report: Path) -> Outcome:
    """Where pytest has died before it wrote a report, the outcome says so as a failure."""
    if not report.exists():
        return Outcome(failed=["pytest has left no report"])
    found = Outcome()
    root = ET.parse(report).getroot()
    for case in root.iter("testcase"):
        name = case.get("name", "") or case.get("classname", "")
        kinds = {each.tag for each in case}
        if kinds & {"failure", "error"}:
            found.failed.append(name)
        elif "skipped" in kinds:
            found.skipped.append(name)
        else:
            found.passed.append(name)
    # A test whose teardown failed has two entries: it has failed.
    passed = [each for each in found.passed if each not in found.failed]
    seconds = sum(float(each.get("time", 0)) for each in root.iter("testsuite"))
    return Outcome(passed, found.failed, found.skipped, seconds)
