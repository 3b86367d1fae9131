"""Proofs kept as they come, so that a run can be taken up again; docs/evidence/options.{json,md}."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.faults.report import EVIDENCE, a_line_each, keep_at, kept_at
from tests.options.mutant import FOLDER
from tests.options.page import Option
from tests.options.proof import Came

KEPT = FOLDER / "proofs.json"
COMMAND = "make option-proofs EVIDENCE=1"
NOTICED, UNNOTICED, TROUBLE, NOT_RUN = "noticed", "UNNOTICED", "TROUBLE", "not run"


def verdict(came: Came) -> str:
    """Of a test whose option was ignored. One that couldn't run has proved nothing."""
    if came.noticed:
        return NOTICED
    return TROUBLE if came.trouble or not came.cases else UNNOTICED


class Kept:
    """Verdicts by option and test; those of another commit are forgotten."""

    def __init__(self, commit: str, path: Path = KEPT) -> None:
        self._path, self.commit = path, commit
        known = kept_at(commit, path)
        self.proofs: dict[str, dict[str, dict[str, str]]] = known.get("proofs", {})
        self.passing: list[str] = known.get("passing", [])

    def proved(self, option: Option) -> bool:
        """Whether each of its tests has noticed; what hasn't is tried again."""
        known = self.proofs.get(option.key, {})
        return all(known.get(test, {}).get("verdict") == NOTICED for test in option.tests)

    def add(self, option: Option, came: Mapping[str, Came]) -> None:
        self.proofs[option.key] = {test: {"verdict": verdict(each), "why": each.why} for test, each in came.items()}
        self._write()

    def passes(self, tests: Sequence[str]) -> None:
        """These pass with the mutated shim while it ignores nothing."""
        self.passing = sorted({*self.passing, *tests})
        self._write()

    def _write(self) -> None:
        keep_at(self.commit, self._path, passing=self.passing, proofs=self.proofs)


def write(kept: Kept, options: Sequence[Option], folder: Path = EVIDENCE) -> None:
    """JSON for programs, a page for people."""
    proofs: dict[str, Any] = {option.key: kept.proofs.get(option.key, {}) for option in options}
    folder.mkdir(parents=True, exist_ok=True)
    head = {"commit": kept.commit, "command": COMMAND, "passing": kept.passing}
    (folder / "options.json").write_text(a_line_each(head, "proofs", proofs))
    rows = [
        f"| `{option.key}` | `{test}` | {proofs[option.key].get(test, {}).get('verdict', NOT_RUN)} | {_cell(proofs[option.key].get(test, {}))} |"
        for option in options
        for test in option.tests
    ]
    verdicts = [row.split(" | ")[2] for row in rows]
    noticed, missing = verdicts.count(NOTICED), verdicts.count(NOT_RUN)
    page = [
        "# Options, each ignored once",
        "",
        f"`{COMMAND}` at commit {kept.commit}: each test that [options](../options.md) names, run with a shim that ignores the option as if no DDL",
        f"had it. **{noticed} of {len(rows)} tests of {len(options)} options noticed**: the test itself failed, for pyarrow and for Flink's format where it has",
        f"a case for each. {len(kept.passing)} pass with the same shim while it ignores nothing.",
        *([f"**{missing} have not been run at this commit yet.**"] if missing else []),
        "",
        "| option | test | | as |",
        "| --- | --- | --- | --- |",
        *rows,
    ]
    (folder / "options.md").write_text("\n".join(page) + "\n")


def _cell(proof: Mapping[str, str]) -> str:
    return proof.get("why", "").replace("|", "\\|").replace("<", "&lt;").replace("`", "'")[:120]
