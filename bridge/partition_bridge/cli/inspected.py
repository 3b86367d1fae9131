"""``inspect``: the files that a checkpoint or savepoint has of the bridge, read by Flink's own classes."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from partition_bridge.cli.installing import FlinkHomeOption
from partition_bridge.cli.output import out, table_of, utc, waiting
from partition_bridge.entries import Entry
from partition_bridge.install.flink_home import find_flink_home
from partition_bridge.install.shim import own_jar
from partition_bridge.retained import retained


def inspect(
    checkpoints: Annotated[
        list[str],
        typer.Argument(
            metavar="CHECKPOINT...",
            help="Directories or _metadata files of checkpoints and savepoints, or folders above; local or URIs.",
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line per file.")] = False,
    flink_home: FlinkHomeOption = None,
) -> None:
    """List the files that a restore from these would complete: pending ones, and open ones up to their last row.

    URIs are read with this Flink's plugins and configuration. Nothing is asked of the store, and nothing changed.
    """
    with waiting("reading checkpoints"):
        entries = retained(find_flink_home(flink_home).path, own_jar().path, checkpoints).entries
    entries.sort(key=lambda each: (each.checkpoint, each.key))
    if as_json:
        for each in entries:
            typer.echo(json.dumps(_facts(each)))
        return
    if entries:
        table = table_of("checkpoint", "state", "file", "rows", "bytes", "parts", "in the state", "last row (UTC)")
        for each in entries:
            numbers = (each.rows, each.size, len(each.parts), len(each.tail))
            table.add_row(
                str(each.checkpoint),
                state_of(each),
                f"s3://{each.bucket}/{each.key}",
                *map(str, numbers),
                utc(each.last_write_ms),
            )
        out.print(table)
    uploads = sum(each.upload_id is not None for each in entries)
    out.print(
        f"{len(entries)} files, {uploads} of them uploads that are open on the store; "
        f"{sum(each.rows for each in entries)} rows, {sum(each.size for each in entries)} bytes"
    )


def state_of(entry: Entry) -> str:
    """``completed``, ``pending`` (sealed), or ``open``: the job would have gone on with the file, and a restore ends it."""
    if entry.state == "completed":
        return "completed"
    return "pending" if entry.sealed else "open"


def _facts(entry: Entry) -> dict[str, object]:
    return {
        "checkpoint": entry.checkpoint,
        "state": state_of(entry),
        "bucket": entry.bucket,
        "key": entry.key,
        "partition": entry.partition,
        "upload_id": entry.upload_id,
        "parts": [{"number": part.number, "size": part.size} for part in entry.parts],
        "rows": entry.rows,
        "bytes": entry.size,
        "bytes_in_state": len(entry.tail),
        "created_ms": entry.created_ms,
        "last_write_ms": entry.last_write_ms,
        "encoder": entry.encoder,
    }
