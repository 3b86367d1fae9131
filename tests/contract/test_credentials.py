"""Credentials that expire while a writer works: what was refused is sent again with fresh ones, and nothing is skipped."""

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from partition_bridge.entries import Part
from partition_bridge.errors import StoreUnavailable
from partition_bridge.store.conditional import Conditional
from partition_bridge.store.s3 import S3Store
from partition_bridge.store.s3_client import Clients, connect
from partition_bridge.store_settings import StoreKeys, StoreSettings
from tests.support.expiry import ContainerCredentials, Door, Headers
from tests.support.servers import SERVERS, S3Server

BUCKET = "lake"
PART = bytearray(5 << 20)
EXPIRED = "EXPIREDKEY"
_numbers = itertools.count()


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """Each server once."""
    with SERVERS[request.param](tmp_path_factory.mktemp(request.param)) as server:
        server.create_bucket(BUCKET)
        yield server


@pytest.fixture
def door(server: S3Server) -> Iterator[Door]:
    """The server, where keys named EXPIRED… have expired."""
    with Door(server.endpoint, lambda headers: f"Credential={EXPIRED}" in headers.get("Authorization", "")) as door:
        yield door


@pytest.fixture
def key() -> str:
    """A key of the test's own."""
    return f"expiry-{next(_numbers)}/part-0"


def settings(endpoint: str, access_key: str | None, secret_key: str | None) -> StoreSettings:
    """Settings with path style."""
    return StoreSettings(endpoint, "us-east-1", True, access_key, secret_key, None, {})


class Configured:
    """Flink's configuration, in which fresh keys appear after so many looks."""

    def __init__(self, server: S3Server, looks: int) -> None:
        self._server = server
        self.looks_left = looks

    def __call__(self) -> StoreKeys:
        self.looks_left -= 1
        if self.looks_left > 0:
            return StoreKeys(f"{EXPIRED}{self.looks_left}", "any", None)
        return StoreKeys(self._server.access_key, self._server.secret_key, None)


class Expiring:
    """A store whose keys expire when the test says so, and are fresh after so many looks into the configuration."""

    def __init__(self, server: S3Server, door: Door) -> None:
        self._server = server
        self._good = settings(door.endpoint, server.access_key, server.secret_key)
        self._expired = settings(door.endpoint, EXPIRED, "any")
        self.clients = Clients(self._good, 4, None)
        self.pauses: list[float] = []
        self.store = S3Store(self.clients, None, Conditional.AUTO, sleep=self.pauses.append)

    def expire(self, looks: int) -> S3Store:
        self.clients._configured = Configured(self._server, looks)
        self.clients._settings = self._expired
        self.clients.current = connect(self._expired, 4)
        return self.store


@pytest.mark.parametrize("looks", [1, 3])
def test_a_file_survives_keys_that_expire_at_each_step(server: S3Server, door: Door, key: str, looks: int) -> None:
    """Create, each part, Complete and HEAD meet expired keys; each is sent again, and the object is whole."""
    expiring = Expiring(server, door)
    upload_id = expiring.expire(looks).create(BUCKET, key, {"pb-token": "0a"})
    parts = []
    for number, body in ((1, PART), (2, bytearray(b"end"))):
        stored = expiring.expire(looks).upload_part(BUCKET, key, upload_id, number, body)
        parts.append(Part(number, len(body), stored.etag, stored.checksum))
    expiring.expire(looks).complete(BUCKET, key, upload_id, parts, only_if_absent=True)
    there = expiring.expire(looks).head(BUCKET, key)
    assert there is not None
    assert there.size == len(PART) + 3, "every byte is there"
    # botocore itself asks for the bucket's region after an unexplained 400.
    refused = [verb for verb, path in door.refused if path != f"/{BUCKET}"]
    assert refused == [verb for verb in ("POST", "PUT", "PUT", "POST", "HEAD") for _ in range(looks)], "until keys were fresh"
    assert expiring.pauses == [0.0, 1.0, 2.0][:looks] * 5, "the first try comes at once, later ones wait a little"


def test_parts_refused_together_renew_once(server: S3Server, door: Door, key: str) -> None:
    """Four parts in flight meet the expiry; the keys are asked for once, and all four are stored."""
    expiring = Expiring(server, door)
    store = expiring.store
    upload_id = store.create(BUCKET, key, {})
    expiring.expire(1)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: store.upload_part(BUCKET, key, upload_id, number, PART), range(1, 5)))
    assert [part.number for part in store.list_parts(BUCKET, key, upload_id)] == [1, 2, 3, 4], "none is skipped"
    assert expiring.clients.renewals == 1, "one renewal serves all"
    store.abort(BUCKET, key, upload_id)


def test_keys_that_never_come_end_the_writer_with_a_reason(server: S3Server, door: Door, key: str) -> None:
    """After some 15 s of tries the task fails with kind retry: a restart asks again; nothing is stored."""
    expiring = Expiring(server, door)
    store = expiring.expire(looks=100)
    with pytest.raises(StoreUnavailable, match=r"put_object of s3://lake/expiry-\d+/part-0: the session token has expired"):
        store.put(BUCKET, key, b"x", {}, only_if_absent=True)
    assert expiring.pauses == [0.0, 1.0, 2.0, 4.0, 8.0], "bounded"
    with pytest.raises(StoreUnavailable, match="the session token has expired"):
        store.head(BUCKET, key)


@pytest.fixture
def chain(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The default chain finds nothing but what the test gives."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    return monkeypatch


def by_chain(chain: pytest.MonkeyPatch, container: ContainerCredentials, door: Door) -> S3Store:
    """A store whose credentials are the container's."""
    chain.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", container.endpoint)
    return S3Store(Clients(settings(door.endpoint, None, None), 4, None), None, Conditional.AUTO)


def token(headers: Headers) -> str:
    """The session token of a request."""
    return headers.get("X-Amz-Security-Token", "")


def test_container_credentials_of_a_minute_are_fetched_in_time(chain: pytest.MonkeyPatch) -> None:
    """A role's credentials that last 60 s are renewed before they expire: no request is ever refused."""
    with ContainerCredentials(60) as container, Door(None, lambda _: False) as door:
        store = by_chain(chain, container, door)
        for number in range(3):
            store.put(BUCKET, f"part-{number}", b"x", {}, only_if_absent=True)
        assert len(container.issued) >= 3, "with less than botocore's ten minutes left, each request has fresh ones"
        assert store._clients.renewals == 0, "before they expired"


def test_container_credentials_that_expire_early_are_fetched_anew(chain: pytest.MonkeyPatch) -> None:
    """Revoked, or the clocks differ: the store refuses a token that should last an hour, and the chain is asked again."""
    with ContainerCredentials(3600) as container, Door(None, lambda headers: token(headers) == "token-1") as door:
        store = by_chain(chain, container, door)
        store.put(BUCKET, "part-0", b"x", {}, only_if_absent=True)
        assert (container.issued, len(door.refused)) == (["token-1", "token-2"], 1), "asked once more, sent once more"
