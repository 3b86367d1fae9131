"""``orphans``: list, and on wish abort, the uploads that killed jobs left open."""

from __future__ import annotations

import json
import posixpath
import re
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from partition_bridge.cli.installing import FlinkHomeOption
from partition_bridge.install.flink_home import find_flink_home
from partition_bridge.install.shim import own_jar
from partition_bridge.orphans import abort as abort_uploads
from partition_bridge.orphans import orphans as find_orphans
from partition_bridge.retained import Retained, named_uploads, retained
from partition_bridge.store.protocol import OpenUpload
from partition_bridge.store.s3 import open_store
from partition_bridge.store_settings import StoreSettings

# Keys are shown as they are: a path may have brackets and colons.
_out = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
_AGE_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def orphans(
    table: Annotated[str, typer.Argument(metavar="s3://BUCKET/PATH", help="The table's path, as its DDL gives it.")],
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
    endpoint_url: Annotated[str | None, typer.Option(envvar="AWS_ENDPOINT_URL", help="The store, where it isn't AWS.")] = None,
    region: Annotated[str | None, typer.Option(envvar=["AWS_REGION", "AWS_DEFAULT_REGION"], help="The bucket's region.")] = None,
    path_style: Annotated[
        bool | None,
        typer.Option("--path-style/--virtual-style", help="How the bucket is addressed. Default: path style with an endpoint."),
    ] = None,
    flink_home: FlinkHomeOption = None,
) -> None:
    """List the bridge's open uploads under a table's path that no given checkpoint or savepoint names.

    Credentials come from AWS's default chain (environment, profile, role), never from arguments. Exit code 1 when some are left.
    """
    bucket, prefix = _table_path(table)
    shown = bool(checkpoints or savepoints)
    if abort and not shown and not no_checkpoints:
        raise typer.BadParameter(
            "an upload that a checkpoint or savepoint names is needed to restore from it. Name them with --checkpoints and --savepoints, "
            "or say --no-checkpoints if none is to be kept",
            param_hint="--abort",
        )
    older_ms = None if older_than is None else int(time.time() * 1000) - _millis(older_than, "--older-than")
    timeout_ms = _millis(checkpoint_timeout, "--checkpoint-timeout")
    running = _read(checkpoints or [], flink_home)
    named = named_uploads([*running.entries, *_read(savepoints or [], flink_home).entries])
    store = open_store(
        StoreSettings(
            endpoint=endpoint_url,
            region=region,
            path_style=endpoint_url is not None if path_style is None else path_style,
            access_key=None,
            secret_key=None,
            session_token=None,
            aws_environment={},
        ),
        checksum="off",
        connections=1,
    )
    unnamed = find_orphans(store, bucket, prefix, named, older_ms)
    # Begun after the newest barrier, an upload may be a running job's that the next checkpoint will name.
    barrier_ms = None if job_stopped or not shown else (running.newest_ms or timeout_ms) - timeout_ms
    found = [upload for upload in unnamed if barrier_ms is None or upload.initiated_ms < barrier_ms]
    if abort:
        abort_uploads(store, bucket, found)
    _report(bucket, found, len(unnamed) - len(found), aborted=abort, as_json=as_json)
    if found and not abort:
        raise typer.Exit(1)


def _read(checkpoints: list[str], flink_home: Path | None) -> Retained:
    if not checkpoints:
        return Retained([], None)
    return retained(find_flink_home(flink_home).path, own_jar().path, checkpoints)


def _table_path(table: str) -> tuple[str, str]:
    given = re.fullmatch(r"s3a?://([^/]+)(?:/(.*))?", table)
    if given is None:
        raise typer.BadParameter("must be s3://bucket/path or s3a://bucket/path", param_hint="s3://BUCKET/PATH")
    # As Flink reads a path: no empty segments, "." and ".." resolved.
    return given[1], posixpath.normpath(f"/{given[2] or ''}").strip("/")


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
        table = Table("initiated (UTC)", "key", "upload id", box=None, pad_edge=False)
        for column in table.columns:
            column.overflow = "fold"
        for upload in found:
            initiated = datetime.fromtimestamp(upload.initiated_ms / 1000, timezone.utc)
            table.add_row(f"{initiated:%Y-%m-%d %H:%M:%S}", upload.key, upload.upload_id)
        _out.print(table)
    remark = "aborted" if aborted else "left; abort them with --abort" if found else "left"
    if young:
        _out.print(
            f"{_uploads(young, 'younger')} {'is' if young == 1 else 'are'} left alone: a running job may have begun them after its newest checkpoint. "
            "If no job runs on this path, say --job-stopped"
        )
    _out.print(f"{_uploads(len(found), 'orphaned')} {remark}")


def _uploads(count: int, kind: str) -> str:
    return f"{count} {kind} {'upload' if count == 1 else 'uploads'}"
