"""``inserts``: list, and on wish undo, the batch inserts that ended for good in the middle of their commit."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from partition_bridge.cli.output import out, utc, waiting
from partition_bridge.cli.store_options import EndpointOption, RegionOption, StyleOption, TableArgument, store_of, table_path
from partition_bridge.unfinished import Unfinished, unfinished
from partition_bridge.unfinished import undo as undo_insert


def inserts(
    table: TableArgument,
    undo: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Remove the visible files of this insert, abort its uploads and remove its list. What it has overwritten doesn't come back.",
        ),
    ] = None,
    job_stopped: Annotated[
        bool,
        typer.Option("--job-stopped", help="With --undo: the insert's job has ended for good, and nothing of it still runs."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line per insert.")] = False,
    endpoint_url: EndpointOption = None,
    region: RegionOption = None,
    path_style: StyleOption = None,
) -> None:
    """List the batch inserts into a table whose commit has begun and not ended: their jobs run, or have died for good.

    Credentials come from AWS's default chain (environment, profile, role), never from arguments. Exit code 1 when some are left.
    """
    bucket, prefix = table_path(table)
    if undo is not None and not job_stopped:
        raise typer.BadParameter(
            "a job that still runs goes on with its insert, and would find its files gone. See that it has ended, then say --job-stopped",
            param_hint="--undo",
        )
    store = store_of(endpoint_url, region, path_style)
    with waiting("looking for lists of inserts"):
        found = list(unfinished(store, bucket, prefix))
    chosen = [each for each in found if each.id == undo]
    if undo is not None and not chosen:
        raise typer.BadParameter(
            f"there is no unfinished insert {undo}; without --undo those that are there are listed", param_hint="--undo"
        )
    for each in chosen:
        undo_insert(store, each)
    for each in found:
        _tell(each, undone=each in chosen, as_json=as_json)
    left = len(found) - len(chosen)
    if not as_json:
        out.print(
            f"{left} unfinished {'insert' if left == 1 else 'inserts'} left" + ("; undo one with --undo ID" if left else "")
        )
    if left:
        raise typer.Exit(1)


def _tell(insert: Unfinished, *, undone: bool, as_json: bool) -> None:
    files, visible = len(insert.plan.files), len(insert.visible)
    if as_json:
        facts = {"bucket": insert.bucket, "id": insert.id, "listed_ms": insert.listed_ms, "files": files, "visible": visible}
        typer.echo(json.dumps({**facts, "overwrites": len(insert.plan.remove), "undone": undone}))
        return
    over = f", overwrites {len(insert.plan.remove)} objects" if insert.plan.remove else ""
    state = "undone" if undone else f"commit began {utc(insert.listed_ms)} UTC"
    out.print(f"{insert.id}  {state}: {visible} of {files} files {'were' if undone else 'are'} visible{over}")
