"""docs/options.md as the proofs read it: which tests each option names, and where pytest finds those of Python."""

import re
from dataclasses import dataclass

from tests.support.flink import ROOT

PAGE = ROOT / "docs" / "options.md"
_ROW = re.compile(r"^\| `([^`]+)` \|.*\| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


@dataclass(frozen=True)
class Option:
    """A row: the key, what encodes the files of its tests, and the tests' names, those of Java with their class."""

    key: str
    encoders: str
    tests: tuple[str, ...]


def options() -> list[Option]:
    """Every row of the page, in its order."""
    found = [(key, encoders, tuple(re.findall(r"`([^`]+)`", tests))) for key, encoders, tests in _ROW.findall(PAGE.read_text())]
    return [Option(*each) for each in found]


def is_java(test: str) -> bool:
    """Whether the name is Class.method."""
    return "." in test


def node_id(test: str) -> str:
    """Path and function for pytest. Raises `ValueError` where not exactly one file has the test."""
    declared = re.compile(rf"^def {re.escape(test)}\(", re.MULTILINE)
    (file,) = (each for each in sorted((ROOT / "tests").rglob("test_*.py")) if declared.search(each.read_text()))
    return f"{file.relative_to(ROOT)}::{test}"
