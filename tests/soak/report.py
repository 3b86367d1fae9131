"""docs/evidence/soak-seed-N.json and soak.md: what the soaks have shown, on which commit, and how to do them again."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.faults.report import EVIDENCE


def write(numbers: dict[str, Any], commit: str, seconds: float, seed: int, folder: Path = EVIDENCE) -> None:
    """JSON for programs, one file a seed, and a page for people of all that are there. `commit` is what was tested."""
    whole = {"commit": commit, "command": f"make soak SECONDS={seconds:.0f} SEED={seed} EVIDENCE=1", "seed": seed, **numbers}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"soak-seed-{seed}.json").write_text(json.dumps(whole, indent=1) + "\n")
    _write_page(folder)


def write_mutant(name: str, why: str, commit: str, seconds: float, seed: int, folder: Path = EVIDENCE) -> None:
    """One more mutant that a soak has noticed; `why` is what the soak said of it, whose first line is kept."""
    whole = {
        "commit": commit,
        "command": f"make soak SECONDS={seconds:.0f} SEED={seed} MUTANT={name} EVIDENCE=1",
        "failed": why[:200],
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"soak-mutant-{name}.json").write_text(json.dumps({"mutant": name, **whole}, indent=1) + "\n")
    _write_page(folder)


def _write_page(folder: Path) -> None:
    soaks = [json.loads(each.read_text()) for each in folder.glob("soak-seed-*.json")]
    mutants = [json.loads(each.read_text()) for each in sorted(folder.glob("soak-mutant-*.json"))]
    (folder / "soak.md").write_text(_page(sorted(soaks, key=lambda each: int(each["seed"])), mutants))


def _page(soaks: list[dict[str, Any]], mutants: list[dict[str, Any]]) -> str:
    kinds = sorted({_kind(deed) for each in soaks for deed in each["schedule"]})
    lines = [
        "# Soak: a job that is hit again and again",
        "",
        "In each, every row came out once, every day has its `_SUCCESS`, none had it before its last row, and no upload was left open",
        "but those of killed processes, which `orphans` found and aborted. What was done when, to the second, is in the JSON beside.",
        "",
        "| | " + " | ".join(f"seed {each['seed']}" for each in soaks) + " |",
        "| --- |" + " ---: |" * len(soaks),
        _row("commit", [each["commit"] for each in soaks]),
        _row("command", [f"`{each['command']}`" for each in soaks]),
    ]
    lines += [
        _row(name.replace("_", " "), [f"{each[name]:,}" for each in soaks])
        for name in (
            "rows",
            "files",
            "days",
            "days_before_the_drain",
            "faults",
            "restores",
            "rescales",
            "restarts",
            "jobs",
            "checkpoints",
        )
    ]
    lines.append(_row("MiB", [str(each["bytes"] >> 20) for each in soaks]))
    lines.append(_row("seconds", [f"{each['seconds']:.0f}" for each in soaks]))
    lines.append(_row("deeds a minute", [str(each["deeds_per_minute"]) for each in soaks]))
    lines.append(_row("orphans removed", [str(each["orphans"]) for each in soaks]))
    lines += [_row(kind, [str(Counter(map(_kind, each["schedule"]))[kind]) for each in soaks]) for kind in kinds]
    if mutants:
        lines += [
            "",
            "## Writers that are wrong",
            "",
            "A soak of each must fail, and has.",
            "",
            "| mutant | commit | command | what the soak said |",
        ]
        lines += ["| --- | --- | --- | --- |"]
        lines += [f"| {each['mutant']} | {each['commit']} | `{each['command']}` | {_cell(each['failed'])} |" for each in mutants]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _kind(deed: dict[str, Any]) -> str:
    return str(deed["what"]).split(" at ")[0].split(",")[0]


def _row(name: str, cells: list[str]) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"
