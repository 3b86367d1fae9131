"""What the cases have shown, kept as they end, so that a run can be stopped and taken up again."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "faults"
EVIDENCE = ROOT / "docs" / "evidence"


TESTED = ("bridge", "java-shim/pom.xml", "java-shim/src/main", "tests", "requirements", "pyproject.toml")
"""The product, what it's built on, and what hits it: a commit that changes none of them changes no result."""


def commit() -> str:
    """The newest commit that has changed what is tested, or how; `+` where the folder differs from it."""

    def say(*words: str) -> str:
        return subprocess.run(["git", "-C", str(ROOT), *words, "--", *TESTED], capture_output=True, text=True, check=False).stdout

    return say("log", "-1", "--format=%h", "--abbrev=12").strip() + ("+" if say("status", "--porcelain") else "")


def write_whole(path: Path, content: str) -> None:
    """A run that is ended meanwhile leaves the file as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(content)
    new.replace(path)


def kept_at(commit: str, path: Path) -> dict[str, Any]:
    """What a run has kept there at this commit; nothing where there is none, or it's another's."""
    known: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return known if known.get("commit") == commit else {}


def keep_at(commit: str, path: Path, **content: Any) -> None:
    """For `kept_at`, in place of what was there."""
    write_whole(path, json.dumps({"commit": commit, **content}))


class Report:
    """Results by case id, in one JSON file a shard; those of another commit are forgotten, whatever the number of shards was."""

    def __init__(self, path: Path, seed: int) -> None:
        self._path = path
        self.content: dict[str, Any] = {"commit": commit(), "seed": seed, "cases": {}}
        self._passed: set[str] = set()
        for each in sorted(path.parent.glob("shard-*.json")):
            known = json.loads(each.read_text())
            if known["commit"] == self.content["commit"]:
                self._passed |= {case for case, result in known["cases"].items() if result["ok"]}
                self.content["cases"] = known["cases"] if each == path else self.content["cases"]

    def done(self, case: str) -> bool:
        """Whether it has passed; what failed is tried again."""
        return case in self._passed

    def add(self, case: str, result: dict[str, Any]) -> None:
        self.content["cases"][case] = result
        write_whole(self._path, json.dumps(self.content))


def merge(paths: Iterable[Path]) -> dict[str, Any]:
    """One report of all shards of this commit."""
    parts = [part for part in (json.loads(path.read_text()) for path in paths) if part["commit"] == commit()]
    assert parts, "no shard has run at this commit"
    whole: dict[str, Any] = {"commit": commit(), "seed": parts[0]["seed"], "cases": {}}
    for part in parts:
        for case, result in part["cases"].items():
            # A case may have failed in one shard and passed later in another, of another number of jobs.
            if result["ok"] or case not in whole["cases"]:
                whole["cases"][case] = result
    return whole


def write(whole: dict[str, Any], mutants: dict[str, Any], in_all: int) -> None:
    """docs/evidence/faults-writer-tier.{json,md}."""
    EVIDENCE.mkdir(parents=True, exist_ok=True)
    cases = dict(sorted(whole["cases"].items()))
    head = {"commit": whole["commit"], "seed": whole["seed"], "mutants": mutants}
    (EVIDENCE / "faults-writer-tier.json").write_text(a_line_each(head, "cases", cases))
    (EVIDENCE / "faults-writer-tier.md").write_text(_page(whole, cases, mutants, in_all))


def a_line_each(head: dict[str, Any], name: str, results: dict[str, Any]) -> str:
    """JSON of `head` and, under `name`, one line for each result, so that two runs can be compared by diff."""
    lines = [json.dumps(each) + ": " + json.dumps(result, sort_keys=True) for each, result in results.items()]
    return json.dumps(head, indent=1)[:-2] + f',\n "{name}": {{\n  ' + ",\n  ".join(lines) + "\n }\n}\n"


def _page(whole: dict[str, Any], cases: dict[str, Any], mutants: dict[str, Any], in_all: int) -> str:
    passed = sum(result["ok"] for result in cases.values())
    table: Counter[tuple[str, str]] = Counter()
    for case, result in cases.items():
        stage, what = case.split("/", 1)
        table[stage + " · " + _subject(what), "passed" if result["ok"] else "failed"] += 1
    rows = sorted({subject for subject, _ in table})
    fell = sum(1 for result in cases.values() if result["failures"])
    page = [
        "# Faults, writer tier: what a run has shown",
        "",
        f"`make faults` at commit {whole['commit']}, seed {whole['seed']}: **{passed} of {len(cases)} cases passed**, on SeaweedFS and versitygw.",
        *([f"The matrix has {in_all} cases: **this run has not done the others yet**."] if in_all > len(cases) else []),
        f"In each the fault fired. {len(cases) - fell} were got over by the writer itself; in {fell} the job failed as it must and",
        "was right again after a restart, or said at each restart what is lost.",
        f"The fault fired {sum(result['firings'] for result in cases.values())} times; {sum(result['orphans'] for result in cases.values())} orphaned uploads were left, all found by `orphans`.",
        "",
        "| stage · fault | passed | failed |",
        "| --- | ---: | ---: |",
        *[f"| {subject} | {table[subject, 'passed']} | {table[subject, 'failed']} |" for subject in rows],
        "",
        "## Mutants",
        "",
        f"{sum(bool(by) for by in mutants.values())} of {len(mutants)} mutants of the product were killed.",
        "",
        "| mutant | killed by | as |",
        "| --- | --- | --- |",
        *[f"| {name} | {by['case'] if by else '**survived**'} | {by['why'] if by else ''} |" for name, by in mutants.items()],
    ]
    return "\n".join(page) + "\n"


def _subject(what: str) -> str:
    """Call, fault point, flavour or deed of a case."""
    parts = what.split("/")
    if parts[0].startswith("open-"):
        return "open file · " + _subject("/".join(parts[1:]))
    return f"flavour {parts[0]}" if len(parts) > 1 else what.partition(":")[0]
