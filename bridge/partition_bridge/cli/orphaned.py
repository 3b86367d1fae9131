"""``orphans``: list, and on wish abort, the uploads that killed jobs left open."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Annotated

import typer

from partition_bridge.cli.installing import FlinkHomeOption
from partition_bridge.cli.output import out, table_of, tracked, utc, waiting
from partition_bridge.cli.store_options import EndpointOption, RegionOption, StyleOption, TableArgument, store_of, table_path
from partition_bridge.install.flink_home import find_flink_home
from partition_bridge.install.shim import own_jar
from partition_bridge.orphans import abort as abort_uploads
from partition_bridge.orphans import orphans as find_orphans
from partition_bridge.retained import Retained, named_uploads, retained
from partition_bridge.store.protocol import OpenUpload

_AGE_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def orphans(
    table: TableArgument,
    checkpoints: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DIR",
            help="A retained checkpoint, or a folder above several; may be repeated. What they name is no orphan, and what is younger "
            "than the newest may be a running job's.",
        ),
    ] = None,
    savepoints: Annotated[
        list[str] | None,
        typer.Option(metavar="DIR", help="A savepoint, or a folder above several; may be repeated. What they name is no orphan."),
    ] = None,
    checkpoint_timeout: Annotated[
        str,
        typer.Option(
            metavar="TIME", help="The longest that a checkpoint takes from its barrier: execution.checkpointing.timeout."
        ),
    ] = "10m",
    job_stopped: Annotated[
        bool, typer.Option("--job-stopped", help="No job writes to this path now: its youngest uploads are nobody's.")
    ] = False,
    no_checkpoints: Annotated[
        bool,
        typer.Option(
            "--no-checkpoints",
            help="With --abort: no job runs on this path, and no checkpoint or savepoint of one will ever be restored.",
        ),
    ] = False,
    older_than: Annotated[
        str | None,
        typer.Option(metavar="AGE", help="Only uploads older than 30m, 12h, 7d …"),
    ] = None,
    abort: Annotated[
        bool, typer.Option("--abort", help="Abort them. Their parts are lost for good. Default: only list them.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line per upload.")] = False,
    endpoint_url: EndpointOption = None,
    region: RegionOption = None,
    path_style: StyleOption = None,
    flink_home: FlinkHomeOption = None,
) -> None:
    """List the bridge's open uploads under a table's path that no given checkpoint or savepoint names.

    Credentials come from AWS's default chain (environment, profile, role), never from arguments. Exit code 1 when some are left.
    """
    bucket, prefix = table_path(table)
    shown = bool(checkpoints or savepoints)
    if abort and not shown and not no_checkpoints:
        raise typer.BadParameter(
            "an upload that a checkpoint or savepoint names is needed to restore from it. Name them with --checkpoints and --savepoints, "
            "or say --no-checkpoints if none is to be kept",
            param_hint="--abort",
        )
    older_ms = None if older_than is None else int(time.time() * 1000) - _millis(older_than, "--older-than")
    timeout_ms = _millis(checkpoint_timeout, "--checkpoint-timeout")
    with waiting("reading checkpoints and savepoints"):
        running = _read(checkpoints or [], flink_home)
        named = named_uploads([*running.entries, *_read(savepoints or [], flink_home).entries])
    store = store_of(endpoint_url, region, path_style)
    with waiting("listing uploads"):
        unnamed = find_orphans(store, bucket, prefix, named, older_ms)
    # Begun after the newest barrier, an upload may be a running job's that the next checkpoint will name.
    barrier_ms = None if job_stopped or not shown else (running.newest_ms or timeout_ms) - timeout_ms
    found = [upload for upload in unnamed if barrier_ms is None or upload.initiated_ms < barrier_ms]
    if abort:
        abort_uploads(store, bucket, tracked(found, len(found), "aborting"))
    _report(bucket, found, len(unnamed) - len(found), aborted=abort, as_json=as_json)
    if found and not abort:
        raise typer.Exit(1)


def _read(checkpoints: list[str], flink_home: Path | None) -> Retained:
    if not checkpoints:
        return Retained([], None)
    return retained(find_flink_home(flink_home).path, own_jar().path, checkpoints)


def _millis(age: str, option: str) -> int:
    given = re.fullmatch(r"(\d+)\s*([smhd])", age)
    if given is None:
        raise typer.BadParameter("must be a number and one of s, m, h, d: 30m, 12h, 7d", param_hint=option)
    return int(given[1]) * _AGE_UNITS[given[2]] * 1000


def _report(bucket: str, found: list[OpenUpload], young: int, *, aborted: bool, as_json: bool) -> None:
    if as_json:
        for upload in found:
            line = {
                "bucket": bucket,
                "key": upload.key,
                "upload_id": upload.upload_id,
                "initiated_ms": upload.initiated_ms,
                "aborted": aborted,
            }
            typer.echo(json.dumps(line))
        return
    if found:
        table = table_of("initiated (UTC)", "key", "upload id")
        for upload in found:
            table.add_row(utc(upload.initiated_ms), upload.key, upload.upload_id)
        out.print(table)
    remark = "aborted" if aborted else "left; abort them with --abort" if found else "left"
    if young:
        out.print(
            f"{_uploads(young, 'younger')} {'is' if young == 1 else 'are'} left alone: a running job may have begun them after its newest checkpoint. "
            "If no job runs on this path, say --job-stopped"
        )
    out.print(f"{_uploads(len(found), 'orphaned')} {remark}")


def _uploads(count: int, kind: str) -> str:
    return f"{count} {kind} {'upload' if count == 1 else 'uploads'}"
