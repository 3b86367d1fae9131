"""Starts a writer that is wrong: `python -m tests.soak.launch MUTANT -m partition_bridge.writer`, the last two as the shim gives them."""

import runpy
import sys
from pathlib import Path

from tests.support.interpreters import interpreter


def python_with_a_mutant(folder: Path, mutant: str) -> Path:
    """A `python.executable` whose writers have the mutant."""
    return interpreter(folder / f"python-{mutant}", "tests.soak.launch", mutant)


if __name__ == "__main__":
    from tests.faults.mutants import MUTANTS

    MUTANTS[sys.argv[1]].apply()
    runpy.run_module("partition_bridge.writer", run_name="__main__")
