"""``verify``: what lies under a table's path, and whether a reader that trusts success files may be misled."""

from __future__ import annotations

import json
from functools import partial
from typing import Annotated

import typer

from partition_bridge.audit.verification import Partition, Verification, verify_table
from partition_bridge.cli.output import out, table_of, tracked, utc
from partition_bridge.cli.store_options import (
    EndpointOption,
    RegionOption,
    StyleOption,
    TableArgument,
    settings_of,
    table_path,
)
from partition_bridge.store.s3_client import connect
from partition_bridge.store.s3_errors import explained

_READERS = 16


def verify(
    table: TableArgument,
    success_file: Annotated[
        str, typer.Option(metavar="NAME", help="The table's 'sink.partition-commit.success-file.name'.")
    ] = "_SUCCESS",
    file_format: Annotated[
        str,
        typer.Option(
            "--format", metavar="FORMAT", help="parquet: footers are read and rows counted. Others: names, sizes and times only."
        ),
    ] = "parquet",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    endpoint_url: EndpointOption = None,
    region: RegionOption = None,
    path_style: StyleOption = None,
) -> None:
    """Partitions with their success files, files, rows and bytes; how large files are; files that no reader can read or that came too late.

    Late is a file that's newer than its partition's success file: the partition is announced again once it's visible. Exit code 1 when there
    is any such file, or one without a whole footer. Credentials come from AWS's default chain, never from arguments.
    """
    bucket, prefix = table_path(table)
    client = connect(settings_of(endpoint_url, region, path_style), _READERS)
    with explained("verify", bucket, prefix or None):
        found = verify_table(
            client,
            bucket,
            prefix,
            success_file,
            count_rows=file_format == "parquet",
            readers=_READERS,
            track=partial(tracked, what="footers"),
        )
    (_tell_json if as_json else _tell)(found)
    if not found.fine:
        raise typer.Exit(1)


def _tell_json(found: Verification) -> None:
    partitions = [
        {
            "partition": each.path,
            "success_ms": _success_ms(each),
            "files": each.files,
            "rows": each.rows,
            "bytes": each.bytes,
            "newer_than_success": each.newer,
        }
        for each in found.partitions
    ]
    others = {"unreadable": found.unreadable, "sizes": found.sizes, "other_objects": found.others, "open_uploads": found.uploads}
    typer.echo(json.dumps({"partitions": partitions, **others}))


def _tell(found: Verification) -> None:
    if found.partitions:
        table = table_of("partition", "success file (UTC)", "files", "rows", "bytes")
        for each in found.partitions:
            success = _success_ms(each)
            written = "none" if success is None else utc(success)
            rows = "?" if each.rows is None else str(each.rows)
            table.add_row(each.path or ".", written, str(each.files), rows, str(each.bytes))
        out.print(table)
    for each in found.partitions:
        for key in each.newer:
            out.print(f"late: {key} is newer than its partition's success file")
    for key, why in found.unreadable.items():
        out.print(f"unreadable: {key}: {why}")
    announced = sum(each.success is not None for each in found.partitions)
    files = sum(each.files for each in found.partitions)
    out.print(f"{len(found.partitions)} partitions, {announced} with a success file; {files} files")
    if found.sizes:
        out.print("file sizes: " + ", ".join(f"{count} {name}" for name, count in found.sizes.items()))
    if found.others or found.uploads:
        out.print(
            f"{found.others} other objects that readers pass over; {found.uploads} open uploads (see: partition-bridge orphans)"
        )


def _success_ms(partition: Partition) -> int | None:
    return None if partition.success is None else int(partition.success.timestamp() * 1000)
