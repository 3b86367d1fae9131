"""A store that asks for fewer requests: waited for, counted, nothing lost."""

from pathlib import Path

from partition_bridge.store.s3 import open_store
from partition_bridge.store_settings import StoreSettings
from tests.support.refusals import Refusals
from tests.support.servers import Versitygw


def test_throttled_requests_are_sent_again_and_counted(tmp_path: Path) -> None:
    """SlowDown twice, then the server: the object is there, and the metric says how often the store asked to slow down."""
    with Versitygw(tmp_path) as server:
        server.create_bucket("lake")
        settings = StoreSettings(server.endpoint, server.region, True, server.access_key, server.secret_key, None, {})
        store = open_store(settings, "off", 1)
        refusals = Refusals(503, "SlowDown", lambda _: len(refusals.refused) < 2)
        refusals.into(store._clients.current)
        store.put("lake", "part-0", b"x", {}, only_if_absent=True)
        assert store.head("lake", "part-0") is not None, "nothing is skipped"
        assert store.counts() == {"throttles": 2, "credential_refreshes": 0}
