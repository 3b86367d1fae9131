"""Starts the writer with a mutant in it: `python -m tests.soak.launch MUTANT -m partition_bridge.writer`, the last two as the shim gives them."""

import runpy
import stat
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def interpreter(folder: Path, mutant: str) -> Path:
    """A `python.executable` whose writers have the mutant."""
    script = folder / f"python-{mutant}"
    paths = f"{ROOT / 'bridge'}:{ROOT}"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{paths}" exec "{sys.executable}" -m tests.soak.launch {mutant} "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


if __name__ == "__main__":
    from tests.faults.mutants import MUTANTS

    MUTANTS[sys.argv[1]].apply()
    runpy.run_module("partition_bridge.writer", run_name="__main__")
