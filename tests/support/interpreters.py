"""A `python.executable` that starts writers by a module of the tests, which changes something in the process before they begin."""

import shlex
import stat
import sys
from pathlib import Path

# Nothing else is imported: the module itself is what changes the process first.
ROOT = Path(__file__).resolve().parents[2]


def interpreter(script: Path, module: str, *arguments: str) -> Path:
    """Write the script: `module` gets the arguments, and after them what the shim gives, which is `-m partition_bridge.writer`."""
    command = shlex.join([sys.executable, "-m", module, *arguments])
    paths = shlex.quote(f"{ROOT / 'bridge'}:{ROOT}")
    script.write_text(f'#!/bin/sh\nPYTHONPATH={paths} exec {command} "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script
