"""Starts the writer as a test wants it: `python -m tests.soak.launch MUTANT HASTE -m partition_bridge.writer`, the last two as the shim gives them."""

import runpy
import stat
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def interpreter(folder: Path, mutant: str = "", *, impatient: bool = False) -> Path:
    """A `python.executable` whose writers have the mutant, or wait as briefly as those of the writer tier (`tests.faults.launch`)."""
    script = folder / f"python-{mutant or 'impatient'}"
    paths = f"{ROOT / 'bridge'}:{ROOT}"
    haste = "impatient" if impatient else "patient"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{paths}" exec "{sys.executable}" -m tests.soak.launch "{mutant}" {haste} "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


if __name__ == "__main__":
    given, haste = sys.argv[1:3]
    if haste == "impatient":
        from tests.faults.launch import HASTE, impatient

        impatient(HASTE)
    if given:
        from tests.faults.mutants import MUTANTS

        MUTANTS[given].apply()
    runpy.run_module("partition_bridge.writer", run_name="__main__")
