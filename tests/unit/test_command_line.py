"""The command line beyond its commands: completion, and progress that only terminals see."""

import io
import os
import subprocess
import sys

import pytest
from rich.console import Console

from partition_bridge.cli.output import tracked, waiting


@pytest.mark.parametrize(
    ("typed", "offered"), [("ins", {"install", "inspect", "inserts"}), ("orphans --savep", {"--savepoints"})]
)
def test_a_shell_is_told_how_to_complete(typed: str, offered: set[str]) -> None:
    """As the script of `partition-bridge --show-completion bash` asks for it."""
    words = f"partition-bridge {typed}"
    environment = {
        **os.environ,
        "_PARTITION_BRIDGE_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    command = [sys.executable, "-m", "partition_bridge.cli"]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert set(told.stdout.split()) == offered, told.stderr


def through(console: Console) -> str:
    """What stands on the console after work of both kinds."""
    with waiting("planning", console):
        assert list(tracked("ab", 2, "aborting", console)) == ["a", "b"], "progress takes nothing away"
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_progress_is_for_terminals() -> None:
    """A log or a program that reads the output gets none of it."""
    assert not through(Console(file=io.StringIO())), "plain when piped"
    assert "planning" in through(Console(file=io.StringIO(), force_terminal=True)), "and seen by a person"
