"""The servers that every other test stands on keep what a crash must not take."""

from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from tests.support.servers import SERVERS

PART = b"x" * (5 << 20)


@pytest.mark.parametrize("kind", sorted(SERVERS))
def test_objects_and_open_uploads_survive_a_kill(kind: str, tmp_path: Path) -> None:
    """After kill -9 and a restart at the same endpoint, objects are there and an open upload can be completed."""
    with SERVERS[kind](tmp_path) as server:
        server.create_bucket("lake")
        client = server.client()
        client.put_object(Bucket="lake", Key="whole", Body=b"rows")
        upload = client.create_multipart_upload(Bucket="lake", Key="parts")["UploadId"]
        first = client.upload_part(Bucket="lake", Key="parts", UploadId=upload, PartNumber=1, Body=PART)["ETag"]

        server.kill()
        server.restart()

        client = server.client()
        assert client.get_object(Bucket="lake", Key="whole")["Body"].read() == b"rows", "a stored object must survive"
        second = client.upload_part(Bucket="lake", Key="parts", UploadId=upload, PartNumber=2, Body=b"end")["ETag"]
        parts = [{"PartNumber": 1, "ETag": first}, {"PartNumber": 2, "ETag": second}]
        client.complete_multipart_upload(
            Bucket="lake",
            Key="parts",
            UploadId=upload,
            MultipartUpload={"Parts": parts},  # type: ignore[typeddict-item]
        )
        assert client.get_object(Bucket="lake", Key="parts")["Body"].read() == PART + b"end", "both parts, in order"


@pytest.mark.parametrize("kind", sorted(SERVERS))
def test_a_missing_bucket_is_an_error(kind: str, tmp_path: Path) -> None:
    """A PUT into a bucket that doesn't exist is refused, as S3 does, and doesn't create it."""
    with SERVERS[kind](tmp_path) as server, pytest.raises(ClientError, match="NoSuchBucket"):
        server.client().put_object(Bucket="nowhere", Key="a", Body=b"")
