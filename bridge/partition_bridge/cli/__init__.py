"""The command ``partition-bridge``: its exit codes and the one place where errors become text.

0  done, or nothing to do
1  something is left: not installed as it should be, a check of the doctor's failed, a table that Flink's own sink would write, orphans or unfinished inserts found, files that are late or unreadable
2  wrong usage, or something must be changed first (an option, a permission, an installation)
3  the store or a checkpoint didn't answer as it should; the message says whether a repetition may do
"""

from __future__ import annotations

import sys

import typer

from partition_bridge.cli.doctor import doctor
from partition_bridge.cli.explained import explain
from partition_bridge.cli.inserted import inserts
from partition_bridge.cli.inspected import inspect
from partition_bridge.cli.installing import install, status, uninstall, version
from partition_bridge.cli.orphaned import orphans
from partition_bridge.cli.output import errors
from partition_bridge.cli.verified import verify
from partition_bridge.errors import BridgeError, Configuration

app = typer.Typer(
    name="partition-bridge",
    help="The Flink partition-commit bridge: put it into a Flink, look into checkpoints and tables, and find what killed jobs left on the store.",
    epilog="Exit codes: 0 done; 1 something is left (not installed, a failed check, a table that isn't the bridge's to write, orphans or unfinished inserts found, late or unreadable files); 2 wrong usage or configuration; 3 no clear answer.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in (install, uninstall, status, doctor, explain, inspect, verify, orphans, inserts, version):
    app.command()(command)


def main() -> None:
    """Entry point of the console script."""
    try:
        # Also by `python -m`, so that completion is asked for by the one name.
        app(prog_name="partition-bridge")
    except BridgeError as error:
        errors.print(f"error: {error}")
        sys.exit(2 if isinstance(error, Configuration) else 3)
