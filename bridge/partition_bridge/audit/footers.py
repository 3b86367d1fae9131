"""Row counts of Parquet objects from their footers: two small requests at most an object, whatever its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from partition_bridge.parquet_footer import LENGTH_AND_MAGIC, MAGIC, end_length, read_end

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from partition_bridge.audit.listing import ObjectEntry

_FIRST_READ = 64 << 10


def rows_of(client: S3Client, bucket: str, entry: ObjectEntry) -> int | str:
    """Rows of the object, or why it isn't a whole Parquet file. Its pages aren't read."""
    try:
        end = _end_of(client, bucket, entry, _FIRST_READ)
        if len(end) < LENGTH_AND_MAGIC + len(MAGIC) or not end.endswith(MAGIC):
            return f"it has {entry.size} bytes and no Parquet footer at its end"
        length = end_length(end)
        if length + len(MAGIC) > entry.size:
            return f"its footer has {length} bytes, more than the whole object"
        if length > len(end):
            end = _end_of(client, bucket, entry, length)
        return int(read_end(end[-length:]).num_rows)
    except (pa.ArrowException, OSError) as error:
        return f"{type(error).__name__}: {error}"


def _end_of(client: S3Client, bucket: str, entry: ObjectEntry, count: int) -> bytes:
    if entry.size == 0:
        return b""
    return client.get_object(Bucket=bucket, Key=entry.key, Range=f"bytes=-{min(count, entry.size)}")["Body"].read()
