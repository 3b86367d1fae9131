"""Clients of boto3 as the bridge needs them, made anew where credentials have been replaced."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from botocore import UNSIGNED
from botocore.config import Config
from botocore.handlers import sse_md5

from partition_bridge.counters import Tally
from partition_bridge.errors import Configuration
from partition_bridge.store.s3_credentials import session
from partition_bridge.store.s3_errors import THROTTLE_CODES
from partition_bridge.store_settings import StoreKeys, StoreSettings

_ATTEMPTS = 6  # with botocore's backoff about 15 s of a store that doesn't answer
_CONNECT_SECONDS = 10
_READ_SECONDS = 60


def connect(
    settings: StoreSettings, connections: int, fresh: Callable[[], StoreKeys] | None = None, attempts: int = _ATTEMPTS
) -> Any:
    """A client as ``settings`` say, with a session of its own: without keys the default chain is gone through from its start.

    ``fresh`` gives the keys that follow those of ``settings``, where these are good for a while only.
    """
    # botocore's default chain reads these from the process; they are given only where configured keys don't decide.
    os.environ.update(settings.aws_environment)
    proxied = Config(proxies={"http": settings.proxy, "https": settings.proxy} if settings.proxy else None)
    found, signed = session(settings, proxied, fresh)
    config = Config(
        retries={"mode": "standard", "total_max_attempts": attempts},
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_READ_SECONDS,
        max_pool_connections=connections,
        tcp_keepalive=True,
        signature_version=settings.signature if signed else UNSIGNED,
        # Checksum trailers that newer SDKs add by themselves are refused by many S3-compatible stores.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        # Hashing each body for the signature costs more CPU than all the rest of an upload.
        s3={"addressing_style": "path" if settings.path_style else "virtual", "payload_signing_enabled": False},
    )
    try:
        return found.client("s3", endpoint_url=settings.endpoint or None, config=proxied.merge(config))
    except ValueError as wrong:
        raise Configuration(f"no S3 client for endpoint {settings.endpoint}: {wrong}") from None


class Clients:
    """The client in use, replaced by one with fresh credentials once a store says that its own have expired.

    ``configured`` gives the keys that the shim has now; it's asked only where it has given some before, and in time where they are
    good for a while only. Without, the default chain is gone through again, which reads profile, web identity token, container and
    instance endpoints anew. Before they expire, credentials of the chain are refreshed by botocore.
    """

    def __init__(self, settings: StoreSettings, connections: int, configured: Callable[[], StoreKeys] | None) -> None:
        self._settings = settings
        self._connections = connections
        self._configured = configured
        self._lock = threading.Lock()
        self._last_access_key = settings.access_key
        self.throttles = Tally()
        self.current = self._connect()
        self.renewals = 0

    def renew(self, expired: Any) -> None:
        """Replace ``expired``; nothing is done where another thread has already."""
        with self._lock:
            if self.current is not expired:
                return
            if self._settings.access_key is not None and self._configured is not None:
                self._settings = replace(self._settings, **vars(self._configured()))
                self._last_access_key = self._settings.access_key
            self.current = self._connect()
            self.renewals += 1

    def _connect(self) -> Any:
        fresh = partial(self._in_time, self._configured) if self._configured is not None else None
        client = connect(self._settings, self._connections, fresh)
        # botocore has it for all calls with the key of SSE-C but this one.
        client.meta.events.register("before-parameter-build.s3.ListParts", sse_md5)
        # The one place that sees the answers that botocore's own retries swallow.
        client.meta.events.register("needs-retry.s3", self._note_throttle)
        return client

    def _in_time(self, configured: Callable[[], StoreKeys]) -> StoreKeys:
        keys = configured()
        if keys.access_key != self._last_access_key:
            self._last_access_key = keys.access_key
            self.renewals += 1
        return keys

    def _note_throttle(self, response: Any, **_: Any) -> None:
        # An exception instead of an answer is None here.
        if response is not None and (
            response[0].status_code == 429 or response[1].get("Error", {}).get("Code") in THROTTLE_CODES
        ):
            self.throttles.add()
