"""The command `partition-bridge verify`, on a real store."""

import io
import json
import time
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.commands import partition_bridge
from tests.support.servers import S3Server

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

TABLE = "s3://lake/flights"
FIRST, SECOND = "flights/day=2013-01-01/", "flights/day=2013-01-02/"


@pytest.fixture
def client(server: S3Server) -> "S3Client":
    """Two partitions of a table, one of them announced."""
    client = server.client()
    for page in client.get_paginator("list_objects_v2").paginate(Bucket="lake", Prefix="flights/"):
        for each in page.get("Contents", []):
            client.delete_object(Bucket="lake", Key=each["Key"])
    for upload in client.list_multipart_uploads(Bucket="lake", Prefix="flights/").get("Uploads", []):
        client.abort_multipart_upload(Bucket="lake", Key=upload["Key"], UploadId=upload["UploadId"])
    client.put_object(Bucket="lake", Key=FIRST + "part-0", Body=parquet(3))
    client.put_object(Bucket="lake", Key=FIRST + "part-1", Body=parquet(2_600, columns=900))
    client.put_object(Bucket="lake", Key=FIRST + "_SUCCESS")
    client.put_object(Bucket="lake", Key=SECOND + "part-0", Body=parquet(5))
    return client


@cache
def parquet(rows: int, columns: int = 1) -> bytes:
    """A file of so many rows; with many columns its footer doesn't fit the first read."""
    out = io.BytesIO()
    pq.write_table(pa.table({f"column-{number}": range(rows) for number in range(columns)}), out, compression="none")
    return out.getvalue()


def verified(server: S3Server, *arguments: str) -> dict[str, Any]:
    """What the command says as JSON of a table that is as it should be."""
    done = partition_bridge(server, "verify", TABLE, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_partitions_files_rows_and_sizes_are_counted(server: S3Server, client: "S3Client") -> None:
    """By footers alone; what readers pass over and open uploads are counted beside."""
    client.put_object(Bucket="lake", Key=SECOND + "_temporary", Body=b"x")
    client.create_multipart_upload(Bucket="lake", Key=SECOND + "part-1")
    large = len(parquet(2_600, columns=900))
    assert large > 16 << 20, "of another class of sizes"

    found = verified(server)
    first, second = found["partitions"]
    assert first == {**first, "partition": "day=2013-01-01/", "files": 2, "rows": 2_603, "newer_than_success": []}
    assert first["success_ms"] is not None
    assert second == {**second, "partition": "day=2013-01-02/", "files": 1, "rows": 5, "success_ms": None}
    assert found["sizes"] == {"under 1 MiB": 2, "16 to 128 MiB": 1}
    assert (found["other_objects"], found["open_uploads"]) == (1, 1)

    told = partition_bridge(server, "verify", TABLE)
    assert told.returncode == 0, "a partition that isn't announced yet is no fault"
    assert "2 partitions, 1 with a success file; 3 files" in told.stdout
    assert "file sizes: 2 under 1 MiB, 1 16 to 128 MiB" in told.stdout


def test_a_file_newer_than_its_success_file_is_late(server: S3Server, client: "S3Client") -> None:
    """Who trusted the success file may have read without it; by the store's clock, which may tick in seconds."""
    time.sleep(1.1)
    client.put_object(Bucket="lake", Key=FIRST + "part-2", Body=parquet(1))
    done = partition_bridge(server, "verify", TABLE)
    assert done.returncode == 1
    assert f"late: {FIRST}part-2 is newer than its partition's success file" in done.stdout
    assert done.stdout.count("late: ") == 1, "the older files aren't"

    client.put_object(Bucket="lake", Key=FIRST + "_SUCCESS")
    assert partition_bridge(server, "verify", TABLE).returncode == 0, "announced again"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "it has 0 bytes and no Parquet footer"),
        (b"id\n1\n", "no Parquet footer"),
        (parquet(3)[:-1], "no Parquet footer"),
        (b"PAR1" + b"\xff\xff\xff\x7fPAR1", "more than the whole object"),
        (b"PAR1" + b"\x00" * 20 + b"\x14\x00\x00\x00PAR1", "Couldn't deserialize thrift"),
    ],
    ids=["empty", "text", "cut", "length", "no metadata"],
)
def test_a_file_without_a_whole_footer_is_unreadable(server: S3Server, client: "S3Client", body: bytes, why: str) -> None:
    """It's named with the reason; the rows of the others are counted."""
    client.put_object(Bucket="lake", Key=SECOND + "part-1", Body=body)
    done = partition_bridge(server, "verify", TABLE, "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert list(found["unreadable"]) == [SECOND + "part-1"]
    assert why in found["unreadable"][SECOND + "part-1"]
    assert [each["rows"] for each in found["partitions"]] == [2_603, 5]
    assert verified(server, "--format", "csv")["unreadable"] == {}, "other formats have no footer to look at"


def test_other_names_and_paths_are_understood(server: S3Server, client: "S3Client") -> None:
    """A success file of another name; a path with nothing under it; a bucket that isn't there."""
    client.put_object(Bucket="lake", Key=SECOND + "READY")
    found = verified(server, "--success-file", "READY")
    assert [each["success_ms"] is None for each in found["partitions"]] == [True, False]

    nothing = partition_bridge(server, "verify", "s3://lake/nothing")
    assert (nothing.returncode, nothing.stdout) == (0, "0 partitions, 0 with a success file; 0 files\n")

    missing = partition_bridge(server, "verify", "s3://no-such-bucket/flights")
    assert missing.returncode == 2, "something must be changed first"
    assert "the bucket doesn't exist" in missing.stderr
    assert "Traceback" not in missing.stderr
