"""``doctor``: what is wrong with an installation and a table's store, with what to do about it."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from partition_bridge.cli.installing import FlinkHomeOption
from partition_bridge.cli.output import out
from partition_bridge.cli.places import ConfOption, LibOption, PluginsOption
from partition_bridge.cli.store_options import table_path
from partition_bridge.doctor.examination import Patient, examine
from partition_bridge.doctor.finding import Finding, State
from partition_bridge.doctor.store import Table

_COUNTED = {State.WARN: "warning", State.FAIL: "failure"}


def doctor(
    table: Annotated[
        str | None,
        typer.Argument(metavar="[s3://BUCKET/PATH]", help="A table's path: its store is looked at, too.", show_default=False),
    ] = None,
    flink_home: FlinkHomeOption = None,
    lib: LibOption = None,
    plugins: PluginsOption = None,
    conf: ConfOption = None,
    file_format: Annotated[str, typer.Option("--format", metavar="FORMAT", help="The table's 'format'.")] = "parquet",
    python: Annotated[
        str | None,
        typer.Option(metavar="PROGRAM", help="The table's 'python.executable', where it has one. Default: Flink's, or python3."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Only what failed, and warnings.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line per check.")] = False,
) -> None:
    """Look whether a job of the bridge can run here: Flink, jars, plugin, Java, the writers' Python, and with a path its store.

    Each check is ok, warn, fail, or skip where it can't be looked at. Run it on a TaskManager, as the user that Flink runs as. The store is asked with
    the settings of Flink's configuration, as a job asks it; what is tried there under the path is removed again. Exit code 1 when a check failed; warnings don't count.
    """
    where = None if table is None else Table("s3a" if table.startswith("s3a:") else "s3", *table_path(table))
    found = []
    for each in examine(Patient(flink_home, lib, plugins, conf, file_format, python, where)):
        found.append(each)
        if not quiet or each.remedy:
            (_tell_json if as_json else _tell)(each)
    if not as_json:
        counts = [(sum(each.state is state for each in found), word) for state, word in _COUNTED.items()]
        told = ", ".join(f"{count} {word}{'s' * (count != 1)}" for count, word in counts if count)
        out.print(f"{len(found)} checks: {told or 'nothing to mend'}")
    if any(each.state is State.FAIL for each in found):
        raise typer.Exit(1)


def _tell(finding: Finding) -> None:
    out.print(f"{finding.state.value:<5} {finding.check:<18} {finding.found}")
    if finding.remedy:
        out.print(f"      {'':<18} -> {finding.remedy}")


def _tell_json(finding: Finding) -> None:
    facts = {"check": finding.check, "state": finding.state.value, "found": finding.found, "remedy": finding.remedy or None}
    typer.echo(json.dumps(facts))
