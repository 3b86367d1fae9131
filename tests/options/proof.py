"""Runs the tests of an option with the option ignored, and says of each whether it has noticed."""

import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.options.mutant import FOLDER, ignore, run_java
from tests.options.page import is_java, node_id
from tests.options.stage import Standing
from tests.support.flink import ROOT

_CASE = re.compile(r"(\w*)(?:\(.*\))?(?:\[(.*)\])?$")
"""As pytest writes a case, `test_x[arrow]`, and as Surefire does, `refuses(String, String)[1]`."""

_ASSERTED = re.compile(
    r"AssertionError|assert |partition_bridge\.audit\.AuditFailed|Failed: DID NOT RAISE"
    r"|tests\.support\.rest\.RestFailed: job (failed while|\w+ ended as)"
)
_REFUSED = "org.apache.flink.table.api.ValidationException"
"""How a test of Python says that it has looked and found something else, that its job took another turn, or that its DDL was refused."""

ENCODERS = ("arrow", "host")


@dataclass
class Came:
    """What a test came to: by case, what its assertion says or "" where it passed; and what went wrong outside of the test."""

    cases: dict[str, str] = field(default_factory=dict)
    trouble: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether the test ran and found nothing."""
        return bool(self.cases) and not any(self.cases.values()) and not self.trouble

    @property
    def noticed(self) -> bool:
        """Whether the test itself failed: for each encoder, where it has a case for each. What a fixture does is no proof."""
        if self.trouble:
            return False
        by_encoder = {case: why for case, why in self.cases.items() if case in ENCODERS}
        return all(by_encoder.values()) if by_encoder else any(self.cases.values())

    @property
    def why(self) -> str:
        """The first line of what it said."""
        said = [f"{case}: {why}" if case else why for case, why in self.cases.items() if why]
        return (said or self.trouble or [""])[0]


def run(key: str, tests: Sequence[str], stage: Standing) -> dict[str, Came]:
    """All these tests with the option ignored, or with none where the key is ""; what each came to."""
    ignore(key)
    java = [test for test in tests if is_java(test)]
    python = [node_id(test) for test in tests if not is_java(test)]
    reports = [*(run_java(java) if java else ()), *([_run_python(key or "none", python, stage)] if python else ())]
    return read(tests, reports)


def _run_python(name: str, nodes: Sequence[str], stage: Standing) -> Path:
    report = FOLDER / "reports" / f"{name}.xml"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    stage.clears()
    told = ["--quiet", "--no-header", "--tb=short", "-p", "no:randomly", "-p", "no:cacheprovider"]
    with report.with_suffix(".log").open("w") as out, redirect_stdout(out), redirect_stderr(out):
        code = pytest.main([*told, f"--rootdir={ROOT}", f"--junitxml={report}", *nodes], plugins=[stage])
    if code == pytest.ExitCode.INTERRUPTED:
        sys.exit("ended by a signal")
    assert report.exists(), f"pytest wrote no report: see {out.name}"
    return report


def read(tests: Iterable[str], reports: Iterable[Path]) -> dict[str, Came]:
    """From JUnit's XML, which pytest and Surefire both write: a failure is of the test, an error of its fixtures."""
    found = {test: Came() for test in tests}
    for case in (case for report in reports for case in ET.parse(report).iter("testcase")):
        function, name = _CASE.match(case.get("name", "")).groups()  # type: ignore[union-attr]
        known = (function, f"{case.get('classname', '').rpartition('.')[2]}.{function}")
        test = next((each for each in found if each in known), None)
        if test is None:
            continue
        failure, error = case.find("failure"), case.find("error")
        if error is not None:
            found[test].trouble.append(_first_line(error))
        elif failure is not None and not is_java(test) and not _is_proof(failure):
            found[test].trouble.append(_first_line(failure))
        else:
            found[test].cases[name or ""] = "" if failure is None else _first_line(failure)
    return found


def _is_proof(failure: ET.Element) -> bool:
    """Not so what was awaited in vain of a server, and what ended the run."""
    return bool(_ASSERTED.match(_first_line(failure))) or _REFUSED in (failure.text or "")


def _first_line(outcome: ET.Element) -> str:
    words = (outcome.get("message") or outcome.text or "no words").strip()
    return words.splitlines()[0][:200] if words else "no words"
