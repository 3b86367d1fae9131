"""Keys and buckets at their corners, on both servers: what a writer puts under them is found again, whole and under that very key."""

import contextlib
import itertools
from collections.abc import Iterator

import pytest
from botocore.exceptions import ClientError

from partition_bridge.commit import Committer, Outcome
from partition_bridge.entries import Entry, Part
from partition_bridge.faultpoint import nowhere
from partition_bridge.names import TOKEN_METADATA
from partition_bridge.orphans import orphans
from partition_bridge.store.protocol import Store
from partition_bridge.store.s3 import open_store
from partition_bridge.store_settings import StoreSettings
from tests.support.servers import SERVERS, S3Server

PART = bytearray(5 << 20)
NAME = "part-70627269-1a2b-8c3d-9e4f-0123456789ab-0-0"
_numbers = itertools.count()

CORNERS = {
    "at the bucket's root": "",
    "a folder": "t/day=2013-01-01",
    "blanks": "a table/day=New Year's Day",
    "letters of other languages": "таблица/stadt=Zürich/都市=東京",
    "combined and beyond 16 bits": "t/e\u0301/🦆",
    "what URLs reserve": "t/a+b&c=d?e#f;g,h@i:j$k",
    "percent signs": "t/day=%3A%2F/100%",
    "quotes and XML's own": "t/\"quoted\" 'single' <tag> &amp;",
}


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """Each server once."""
    with SERVERS[request.param](tmp_path_factory.mktemp(request.param)) as server:
        server.create_bucket("lake")
        yield server


@pytest.fixture
def store(server: S3Server) -> Store:
    """The writer's store."""
    settings = StoreSettings(server.endpoint, server.region, True, server.access_key, server.secret_key, None, {})
    return open_store(settings, "off", 2)


@pytest.fixture(params=["inline", "upload"])
def inline(request: pytest.FixtureRequest) -> bool:
    """Both ways of becoming visible."""
    return bool(request.param == "inline")


def key_under(folder: str) -> str:
    """A new key with the mark."""
    return f"{folder}/" * bool(folder) + f"{NAME}{next(_numbers)}"


def pending(store: Store, bucket: str, key: str, inline: bool) -> Entry:
    """A pending file under `key`, its parts uploaded."""
    token = "0a" * 16
    upload_id: str | None = None
    parts: tuple[Part, ...] = ()
    tail = b"tail"
    if not inline:
        upload_id, tail = store.create(bucket, key, {TOKEN_METADATA: token}), b""
        stored = [store.upload_part(bucket, key, upload_id, number, body) for number, body in ((1, PART), (2, bytearray(b"end")))]
        parts = tuple(
            Part(number, size, each.etag) for (number, size), each in zip(((1, len(PART)), (2, 3)), stored, strict=True)
        )
    size = 4 if inline else len(PART) + 3
    return Entry("pending", bucket, key, "", token, upload_id, parts, len(PART), True, size, tail, 1, 1, 0, 0, "arrow", "0" * 16)


def committer(store: Store) -> Committer:
    """As a writer has it."""
    return Committer(store, lambda: 0, lambda _: None, nowhere)


@pytest.mark.parametrize("corner", CORNERS)
def test_a_file_is_completed_found_and_listed(store: Store, corner: str, inline: bool) -> None:
    """Pending, found by the orphan tool, completed, completed again, listed under the same key."""
    key = key_under(CORNERS[corner])
    entry = pending(store, "lake", key, inline)
    if not inline:
        found = [upload.key for upload in orphans(store, "lake", CORNERS[corner], named=())]
        assert key in found, "the orphan tool knows it by its key"
    assert committer(store).complete(entry, replay=False) is Outcome.COMPLETED
    assert committer(store).complete(entry, replay=True) is Outcome.ALREADY, "a replay finds it"
    assert (key, entry.size) in [(each.key, each.size) for each in store.list_objects("lake", CORNERS[corner])]


@pytest.mark.parametrize("server", ["seaweedfs"], indirect=True)  # versitygw doesn't list such keys
def test_a_double_slash_is_part_of_the_key(store: Store, inline: bool) -> None:
    """Flink makes one slash of two, S3 doesn't: what is written under two is found under two."""
    key = key_under("t//day=1")
    entry = pending(store, "lake", key, inline)
    assert committer(store).complete(entry, replay=False) is Outcome.COMPLETED
    assert committer(store).complete(entry, replay=True) is Outcome.ALREADY


def test_a_key_may_have_1024_bytes(store: Store, inline: bool) -> None:
    """S3's limit, in bytes of UTF-8 and in folders that a file system bears."""
    key = key_under("ü" * 100 + "/" + "t" * 200 + "/" + "u" * 200 + "/" + "v" * 200)
    key = "w" * (1023 - len(key.encode())) + "/" + key
    assert len(key.encode()) == 1024
    entry = pending(store, "lake", key, inline)
    assert committer(store).complete(entry, replay=False) is Outcome.COMPLETED
    assert committer(store).complete(entry, replay=True) is Outcome.ALREADY


def test_a_versioned_bucket_keeps_one_version(server: S3Server, store: Store, inline: bool) -> None:
    """A replay doesn't add a version: the object is looked for before it is sent again (I3)."""
    client = server.client()
    bucket = f"versioned-{next(_numbers)}"
    client.create_bucket(Bucket=bucket)
    # versitygw keeps versions only with a folder for them, and refuses; there is one object then, too.
    with contextlib.suppress(ClientError):
        client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    entry = pending(store, bucket, key_under("t"), inline)
    for replay in (False, True, True):
        committer(store).complete(entry, replay)
    assert len(client.list_object_versions(Bucket=bucket).get("Versions", [])) == 1
