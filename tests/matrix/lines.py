"""The older lines of Flink that `make matrix` runs jobs on, and which tests those are."""

from dataclasses import dataclass
from pathlib import Path

from tests.faults.report import ROOT

LINES = ("2.2.1", "2.1.3")
"""The newest release of each. The line that CI runs, 2.3.0, isn't among them."""

SUITES = (
    "test_streams",
    "test_restarts",
    "test_batch",
    "test_takeover",
)
"""Modules of tests/integration: a bounded and an unbounded stream, kills and restores, batch, the takeover by `partition-bridge install`."""


@dataclass(frozen=True)
class Line:
    """A release with an environment of its own, as `make matrix` makes it: pip's Flink, and the jars that it lacks."""

    version: str

    @property
    def folder(self) -> Path:
        return ROOT / "build" / "lines" / self.version

    @property
    def python(self) -> Path:
        return self.folder / "venv" / "bin" / "python"

    @property
    def jars(self) -> Path:
        return self.folder / "jars"


def chosen(only: str) -> list[Line]:
    """Those whose version begins with `only`, "2.2" or the whole; all for an empty text. Raises `ValueError` where there is none."""
    found = [Line(version) for version in LINES if not only or version == only or version.startswith(f"{only}.")]
    if not found:
        raise ValueError(f"no Flink {only} in the matrix: {', '.join(LINES)}")
    return found
