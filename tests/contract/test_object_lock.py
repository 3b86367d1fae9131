"""Buckets with object lock and a default retention: no version of an object can be removed, and no body comes without a digest."""

from collections.abc import Iterator

import pytest

from partition_bridge.entries import Part
from partition_bridge.store.s3 import open_store
from partition_bridge.store_settings import StoreSettings
from tests.support.aws import Aws, Recorder
from tests.support.servers import S3Server, SeaweedFS, Versitygw

BUCKET = "kept"
SERVERS: dict[str, type[S3Server]] = {"aws": Aws, "versitygw": Versitygw, "seaweedfs": SeaweedFS}


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """Each server with such a bucket."""
    with SERVERS[request.param](tmp_path_factory.mktemp(request.param)) as running:
        running.create_locked_bucket(BUCKET)
        yield running


def test_objects_come_and_stay(server: S3Server) -> None:
    """Parts and small files are stored and completed, uploads aborted; what asks for a digest gets one, from its second body on unasked."""
    with Recorder(server.endpoint) as wire:
        store = open_store(
            StoreSettings(wire.endpoint, server.region, True, server.access_key, server.secret_key, None, {}), "off", 2
        )
        store.put(BUCKET, "small", b"put", {"pb-token": "1"}, only_if_absent=True)
        bodies = [each for each in wire.requests if each.get("content-length", "0") != "0"]
        if isinstance(server, Aws):
            assert ["content-md5" in each for each in bodies] == [False, True], "refused, and sent again with a digest"
        else:
            assert ["content-md5" in each for each in bodies] == [False], "this store asks for none"
        wire.requests.clear()

        upload = store.create(BUCKET, "large", {"pb-token": "2"})
        stored = store.upload_part(BUCKET, "large", upload, 1, b"part")
        (body,) = [each for each in wire.requests if each.get("content-length", "0") != "0"]
        assert ("content-md5" in body) == isinstance(server, Aws), "known by now"
        store.complete(BUCKET, "large", upload, [Part(1, 4, stored.etag)], only_if_absent=True)
        store.abort(BUCKET, "dropped", store.create(BUCKET, "dropped", {}))

    assert {each.key for each in store.list_objects(BUCKET, "")} == {"small", "large"}
    assert not list(store.list_uploads(BUCKET, "")), "retention holds for objects, not for uploads"
    client = server.client()
    # moto demands the digest, but leaves the bucket's retention aside.
    for key in () if isinstance(server, Aws) else ("small", "large"):
        there = client.head_object(Bucket=BUCKET, Key=key)
        with pytest.raises(client.exceptions.ClientError, match="AccessDenied"):
            client.delete_object(Bucket=BUCKET, Key=key, VersionId=there["VersionId"])


def test_deleting_hides_and_keeps(server: S3Server) -> None:
    """What INSERT OVERWRITE removes is hidden by a mark, as in any versioned bucket; that isn't refused."""
    settings = StoreSettings(server.endpoint, server.region, True, server.access_key, server.secret_key, None, {})
    store = open_store(settings, "off", 2)
    store.put(BUCKET, "old", b"old", {}, only_if_absent=False)
    store.delete(BUCKET, "old")
    assert store.head(BUCKET, "old") is None, "no reader finds it"
    versions = server.client().list_object_versions(Bucket=BUCKET, Prefix="old")
    assert len(versions.get("Versions", ())) == 1, "its version is kept"
