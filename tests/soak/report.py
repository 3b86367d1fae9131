"""docs/evidence/soak.{json,md}: what one soak has shown, on which commit, and how to do it again."""

import json
from pathlib import Path
from typing import Any

from tests.faults.report import EVIDENCE


def write(numbers: dict[str, Any], commit: str, seconds: float, seed: int, folder: Path = EVIDENCE) -> None:
    """JSON for programs, a page for people. `commit` is what was tested."""
    command = f"make soak SECONDS={seconds:.0f} SEED={seed}"
    whole = {"commit": commit, "command": command, "seed": seed, **numbers}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "soak.json").write_text(json.dumps(whole, indent=1) + "\n")
    (folder / "soak.md").write_text(_page(whole))


def _page(whole: dict[str, Any]) -> str:
    deeds = [f"| {each['planned']} | {each['began']} | {each['right']} | {each['what']} |" for each in whole["schedule"]]
    lines = [
        "# Soak: a job that is hit again and again",
        "",
        f"`{whole['command']}` at commit {whole['commit']}: **{whole['rows']} rows in, {whole['rows']} rows out, each once**, in {whole['files']} files of",
        f"{whole['days']} days ({whole['bytes'] >> 20} MiB), after {whole['faults']} faults, {whole['restores']} restores from a snapshot and {whole['rescales']} rescales in {whole['seconds']:.0f} s.",
        "Every day has its `_SUCCESS`, none had it before its last row; no upload is open",
        f"({whole['orphans']} orphans of killed processes were found by `orphans` and aborted).",
        "",
        f"{whole['jobs']} jobs, {whole['checkpoints']} checkpoints, {whole['restarts']} restarts by Flink, {whole['deeds_per_minute']} deeds a minute;",
        f"{whole['days_before_the_drain']} days were announced by the watermark, the last ones by the drain.",
        "",
        "Seconds since the job's start; a job is right again when all tasks run and two more checkpoints have completed.",
        "",
        "| planned | done | right again | what |",
        "| ---: | ---: | ---: | --- |",
        *deeds,
    ]
    return "\n".join(lines) + "\n"
