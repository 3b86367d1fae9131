"""The rows of a table: data objects in, one relation out, and its difference from what is expected as a multiset."""

from __future__ import annotations

import gzip
import io
import itertools
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.json
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy_boto3_s3 import S3Client

    from partition_bridge.audit.listing import ObjectEntry

SHOWN = 5  # rows of evidence for each difference
READERS = 8
FORMATS = {"parquet": pq.read_table, "json": pyarrow.json.read_json}


def read_rows(
    client: S3Client, bucket: str, objects: Sequence[ObjectEntry], default_partition: str, data_format: str = "parquet"
) -> tuple[pa.Table | None, dict[str, str]]:
    """Read Parquet (or JSON, compressed or not) objects through S3 into one table with the partition columns of their paths.

    Returns also why an object can't be read, by key. No table where no object could be read.
    """

    def read(entry: ObjectEntry) -> pa.Table | str:
        try:
            body = client.get_object(Bucket=bucket, Key=entry.key)["Body"].read()
            table = FORMATS[data_format](io.BytesIO(plain(entry.key, body)))
        except (pa.ArrowException, OSError, EOFError, zlib.error) as error:
            return f"{type(error).__name__}: {error}"
        for name, value in partition_values(entry.partition, default_partition):
            table = table.append_column(name, pa.array([value] * table.num_rows, pa.string()))
        return table

    with ThreadPoolExecutor(READERS) as readers:
        results = list(zip(objects, readers.map(read, objects), strict=True))
    tables = [result for _, result in results if not isinstance(result, str)]
    broken = {entry.key: result for entry, result in results if isinstance(result, str)}
    return (pa.concat_tables(tables, promote_options="default") if tables else None), broken


def plain(key: str, body: bytes) -> bytes:
    """The content of an object whose name says that it's compressed. Raises where it isn't whole."""
    if key.endswith(".gz"):
        return gzip.decompress(body)
    if key.endswith(".zst"):
        return bytes(pa.CompressedInputStream(pa.BufferReader(body), "zstd").read())
    return body


def partition_values(partition: str, default: str) -> list[tuple[str, str | None]]:
    """`day=2013-01-01/hour=03/` as pairs. Values are %XX-escaped (PartitionPathUtils); the default name stands for NULL."""
    pairs = [part.split("=", 1) for part in partition.split("/") if part]
    return [(unquote(name), None if value == default else unquote(value)) for name, value in pairs]


def difference(actual: pa.Table | None, expected: pa.Table) -> list[str]:
    """How two multisets of rows differ: missing, surplus, and some of each. Empty where they are equal.

    Columns are matched by name and compared in the type that `expected` gives them.
    """
    actual = expected.slice(0, 0) if actual is None else actual
    if sorted(actual.column_names) != sorted(expected.column_names):
        return [f"columns are {sorted(actual.column_names)}, expected {sorted(expected.column_names)}"]
    try:
        import duckdb
    except ImportError as error:
        raise ModuleNotFoundError("comparing rows needs DuckDB: pip install duckdb") from error
    with duckdb.connect() as connection:
        connection.register("expected_rows", expected)
        connection.register("actual_arrow", actual)
        types = connection.execute("DESCRIBE expected_rows").fetchall()
        columns = ", ".join(f'CAST("{name}" AS {kind}) AS "{name}"' for name, kind, *_ in types)
        connection.execute(f"CREATE TEMP TABLE actual_rows AS SELECT {columns} FROM actual_arrow")  # noqa: S608 - names and types come from DuckDB itself
        found = []
        for word, left, right in (
            ("missing", "expected_rows", "actual_rows"),
            ("surplus", "actual_rows", "expected_rows"),
        ):
            rows = connection.execute(f"SELECT * FROM {left} EXCEPT ALL SELECT * FROM {right}").fetchall()  # noqa: S608 - our own two names
            if rows:
                examples = "; ".join(str(row) for row in itertools.islice(rows, SHOWN))
                found.append(f"{len(rows)} rows {word}, among them {examples}")
        return found
