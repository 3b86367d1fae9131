"""`sink.upload.conditional` on both servers, as they are and where they refuse or ignore `If-None-Match`."""

import itertools
from collections.abc import Callable, Iterator

import pytest

from partition_bridge.errors import Configuration, PreconditionFailed
from partition_bridge.store.conditional import Conditional, require_conditional
from partition_bridge.store.s3 import S3Store, open_store
from partition_bridge.store_settings import StoreSettings
from tests.support.refusals import Refusals, Request, without_header
from tests.support.servers import SERVERS, S3Server

BUCKET = "lake"
Opened = Callable[[str], S3Store]
_numbers = itertools.count()


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """Each server once."""
    with SERVERS[request.param](tmp_path_factory.mktemp(request.param)) as server:
        server.create_bucket(BUCKET)
        yield server


@pytest.fixture
def opened(server: S3Server) -> Opened:
    """Opens the store with a value of the option."""
    settings = StoreSettings(server.endpoint, server.region, True, server.access_key, server.secret_key, None, {})
    return lambda conditional: open_store(settings, "off", 2, Conditional(conditional))


@pytest.fixture
def prefix() -> str:
    """A table path of the test's own."""
    return f"conditional-{next(_numbers)}"


def has_condition(request: Request) -> bool:
    """Whether the request asks for an absent object."""
    return "If-None-Match" in request.headers


def left(store: S3Store, prefix: str) -> int:
    """Objects and open uploads under the table's path."""
    return len([*store.list_objects(BUCKET, prefix), *store.list_uploads(BUCKET, prefix)])


def test_on_is_satisfied_with_a_store_that_honours_it(opened: Opened, prefix: str) -> None:
    """Both servers know the header on PUT and on Complete; the trial leaves nothing behind."""
    store = opened("on")
    require_conditional(store, BUCKET, prefix)
    assert left(store, prefix) == 0, "the trial's object and upload are removed"


def test_on_refuses_a_store_that_says_it_can_not(opened: Opened, prefix: str) -> None:
    """501 to the header ends the start with the option's name and what to set."""
    store = opened("on")
    Refusals(501, "NotImplemented", has_condition).into(store._clients.current)
    with pytest.raises(Configuration, match=r"doesn't implement.*'sink.upload.conditional' = 'auto'"):
        require_conditional(store, BUCKET, prefix)
    assert left(store, prefix) == 0


@pytest.mark.parametrize("verb", ["PUT", "POST"])
def test_on_refuses_a_store_that_ignores_it(opened: Opened, prefix: str, verb: str) -> None:
    """A store that overwrites in spite of the header is found out on each of the two requests, and cleaned up after."""
    store = opened("on")
    if verb == "PUT":
        without_header(store._clients.current, "If-None-Match")
    else:
        store._clients.current.meta.events.register(
            "before-sign.s3.CompleteMultipartUpload", lambda request, **_: request.headers.__delitem__("If-None-Match")
        )
    with pytest.raises(Configuration, match="ignores If-None-Match on " + {"PUT": "Put", "POST": "Complete"}[verb]):
        require_conditional(store, BUCKET, prefix)
    assert left(store, prefix) == 0, "nothing of the trial is left"


def test_auto_asks_once_where_the_store_can_not(opened: Opened, prefix: str) -> None:
    """After the first 501 the header isn't sent again, and the object is stored."""
    store = opened("auto")
    refusals = Refusals(501, "NotImplemented", has_condition)
    refusals.into(store._clients.current)
    store.put(BUCKET, f"{prefix}/a", b"a", {}, only_if_absent=True)
    store.put(BUCKET, f"{prefix}/b", b"b", {}, only_if_absent=True)
    assert left(store, prefix) == 2, "both are stored"
    assert {request.url.rsplit("/", 1)[1] for request in refusals.refused} == {"a"}, "b is stored without asking"


def test_off_never_asks(opened: Opened, prefix: str) -> None:
    """With off no request bears the header."""
    store = opened("off")
    watch = Refusals(501, "NotImplemented", lambda _: False)
    watch.into(store._clients.current)
    store.put(BUCKET, f"{prefix}/a", b"a", {}, only_if_absent=True)
    store.put(BUCKET, f"{prefix}/a", b"b", {}, only_if_absent=True)
    assert len(watch.sent) == 2, "both went out"
    assert not any(has_condition(request) for request in watch.sent)


def test_auto_asks_and_is_refused(opened: Opened, prefix: str) -> None:
    """Where the store honours the header, an object that is there stays (I10)."""
    store = opened("auto")
    store.put(BUCKET, f"{prefix}/a", b"first", {}, only_if_absent=True)
    with pytest.raises(PreconditionFailed):
        store.put(BUCKET, f"{prefix}/a", b"second", {}, only_if_absent=True)
