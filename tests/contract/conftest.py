"""The stores that the contract suite runs on."""

from collections.abc import Iterator

import pytest

from partition_bridge.store.memory import MemoryStore
from partition_bridge.store.protocol import Store
from partition_bridge.store.s3 import open_store
from partition_bridge.store_settings import StoreSettings
from tests.support.aws import Aws, Recorder
from tests.support.servers import SERVERS

BUCKET = "lake"


@pytest.fixture(scope="module", params=["memory", "memory-forgetful", *SERVERS])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The store under test, with its bucket."""
    if request.param.startswith("memory"):
        yield MemoryStore(BUCKET, forgetful=request.param == "memory-forgetful")
        return
    with SERVERS[request.param](tmp_path_factory.mktemp(request.param)) as server:
        server.create_bucket(BUCKET)
        settings = StoreSettings(server.endpoint, server.region, True, server.access_key, server.secret_key, None, {})
        yield open_store(settings, "auto", connections=8)


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """One server for all settings; it takes any keys."""
    with Aws(tmp_path_factory.mktemp("aws")) as running:
        running.create_bucket(BUCKET)
        yield running


@pytest.fixture
def wire(aws: Aws) -> Iterator[Recorder]:
    """What goes to the server and the headers that went."""
    with Recorder(aws.endpoint) as recorder:
        yield recorder
