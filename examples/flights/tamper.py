"""Damage to a finished table that the checks must find: a check that can't fail proves nothing."""

import io
import time
from collections.abc import Callable

import pyarrow.parquet as pq

from examples.flights.lake import Lake


def _first(lake: Lake) -> str:
    return min(entry.key for entry in lake.data())


def _sibling(key: str, name: str) -> str:
    return f"{key.rpartition('/')[0]}/{name}"


def drop_file(lake: Lake) -> str:
    """Take a data object away."""
    key = _first(lake)
    lake.client.delete_object(Bucket=lake.table.bucket, Key=key)
    return f"deleted {key}"


def drop_row(lake: Lake) -> str:
    """Take one row out of a data object."""
    key = _first(lake)
    body = lake.client.get_object(Bucket=lake.table.bucket, Key=key)["Body"].read()
    out = io.BytesIO()
    rows = pq.read_table(io.BytesIO(body))
    pq.write_table(rows.slice(1), out)
    lake.client.put_object(Bucket=lake.table.bucket, Key=key, Body=out.getvalue())
    # Announced again, so that only the missing row can give it away.
    lake.client.put_object(Bucket=lake.table.bucket, Key=_sibling(key, lake.table.success_file), Body=b"")
    return f"rewrote {key} with {rows.num_rows - 1} of its {rows.num_rows} rows"


def extra_file(lake: Lake) -> str:
    """Add an object that isn't the table's."""
    key = _sibling(_first(lake), "stray")
    lake.client.put_object(Bucket=lake.table.bucket, Key=key, Body=b"not of this table")
    return f"added {key}"


def early_success(lake: Lake) -> str:
    """Let a data object become visible after its partition was announced."""
    key = _first(lake)
    body = lake.client.get_object(Bucket=lake.table.bucket, Key=key)["Body"].read()
    time.sleep(1.1)  # stores tell the time of an object in whole seconds
    lake.client.put_object(Bucket=lake.table.bucket, Key=key, Body=body)
    return f"let {key} become visible after its success file"


KINDS: dict[str, Callable[[Lake], str]] = {
    "drop-file": drop_file,
    "drop-row": drop_row,
    "extra-file": extra_file,
    "early-success": early_success,
}
