"""``explain``: who would write the tables of a SQL file, in words, before a job runs."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from partition_bridge.cli.installing import FlinkHomeOption
from partition_bridge.cli.output import out, waiting
from partition_bridge.cli.places import ConfOption, LibOption, PluginsOption
from partition_bridge.errors import Configuration
from partition_bridge.explain import PlannedSink
from partition_bridge.explain import explain as explain_statements
from partition_bridge.flink_jvm import found_java
from partition_bridge.install.flink_home import find_flink_home
from partition_bridge.install.shim import own_jar
from partition_bridge.sql_statements import statements_of


def explain(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.sql", help="As Flink's SQL client runs it with -f.", exists=True, dir_okay=False)
    ],
    flink_home: FlinkHomeOption = None,
    lib: LibOption = None,
    plugins: PluginsOption = None,
    conf: ConfOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line per table that is written.")] = False,
) -> None:
    """Tell for each INSERT of a SQL file whether the bridge or Flink's own sink would write it, by which encoder, and why.

    Flink's planner plans each statement with the jars and the configuration of this Flink; nothing is run, and no store is asked. Exit code 1 when Flink's own sink
    would write a table of the bridge, or a stream has no checkpoints; 2 when a statement is refused.
    """
    home, java = find_flink_home(flink_home, lib, plugins, conf), found_java()
    if java is None:
        raise Configuration("no java: set JAVA_HOME, or put java on PATH. Flink's own planner plans the statements")
    with waiting("planning"):
        found = explain_statements(java, home, own_jar(), statements_of(file.read_text(encoding="utf-8")))
    for each in found:
        if as_json:
            typer.echo(json.dumps(asdict(each)))
        else:
            _tell(each)
    if not as_json and not found:
        out.print("no statement of this file writes a table")
    if any(each.writer == "flink" or each.never_visible for each in found):
        raise typer.Exit(1)


def _tell(sink: PlannedSink) -> None:
    out.print(f"{sink.table} (statement {sink.statement}, {sink.mode})")
    for line in told(sink):
        out.print(f"  {line}")


def told(sink: PlannedSink) -> list[str]:
    """What there is to say of a table, a sentence each."""
    if sink.writer is None:
        return [f"The connector '{sink.connector}' writes it, which isn't the bridge's."]
    lines = []
    if sink.writer == "flink":
        lines.append(f"Flink's own sink writes it to {sink.path}: {sink.reason}.")
    else:
        lines.append(f"The bridge writes it to {sink.path}.")
        if sink.writer == "arrow":
            lines.append(f"pyarrow encodes {sink.format}, in the Python writers.")
        else:
            lines.append(f"Flink's own format encodes {sink.format}, in the task: {sink.reason}.")
    # Each format but Parquet is Flink's to encode, and that is nothing to mend.
    if sink.remedy and (sink.writer == "flink" or sink.format == "parquet"):
        lines.append(f"-> {sink.remedy}")
    lines.append(f"Policies that commit its partitions: {sink.policies}." if sink.policies else "No partitions are committed.")
    if sink.never_visible:
        lines.append("No checkpoint interval is set: nothing becomes visible before the job ends.")
        lines.append("-> SET 'execution.checkpointing.interval' = '1 min';")
    elif sink.mode == "streaming" and sink.checkpoint_interval_ms is not None:
        lines.append(f"Files become visible at checkpoints, every {sink.checkpoint_interval_ms / 1000:g} s.")
    else:
        lines.append("Files become visible at the job's end.")
    return lines
