"""``sink.upload.conditional``: whether an object is only made visible where none is, by ``If-None-Match: *`` on PUT and Complete.

    auto   sent until the store says that it can't; a store that ignores it isn't found out
    on     sent always; a store that can't, or that ignores it, is refused by ``require_conditional`` before the first row
    off    never sent

I10 holds without it: names are never used twice, and read-back tells a foreign object. With it, a race with a foreign writer is lost by us.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import Enum

from partition_bridge.entries import Part
from partition_bridge.errors import Configuration, PreconditionFailed
from partition_bridge.names import marked_uuid
from partition_bridge.store.protocol import Store

_REMEDY = "set 'sink.upload.conditional' = 'auto', with which names that are never used twice protect existing objects"


class Conditional(Enum):
    """Values of the option."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


class Condition:
    """Whether this store is still asked; may be used by several threads."""

    def __init__(self, conditional: Conditional) -> None:
        self._conditional = conditional
        self._possible = conditional is not Conditional.OFF
        self._lock = threading.Lock()

    @property
    def sent(self) -> bool:
        """Whether the header goes with the next request that wants it."""
        with self._lock:
            return self._possible

    def not_implemented(self) -> None:
        """The store can't. Raises ``Configuration`` where the option insists."""
        if self._conditional is Conditional.ON:
            raise Configuration(f"the store doesn't implement If-None-Match on this request: {_REMEDY}")
        with self._lock:
            self._possible = False


def require_conditional(store: Store, bucket: str, prefix: str) -> None:
    """Tries the header on an object of its own, which readers skip and which is removed again.

    Raises ``Configuration`` where the store refuses or ignores the header.
    """
    # The mark lets the orphan command find the upload if this process dies here.
    key = f"{prefix}/" * bool(prefix) + f"_conditional-{marked_uuid()}-0-0"
    store.put(bucket, key, b"", {}, only_if_absent=True)
    try:
        _expect_refusal("PutObject", lambda: store.put(bucket, key, b"", {}, only_if_absent=True))
        upload_id = store.create(bucket, key, {})
        try:
            stored = store.upload_part(bucket, key, upload_id, 1, b"probe")
            parts = [Part(1, len(b"probe"), stored.etag, stored.checksum)]
            _expect_refusal("CompleteMultipartUpload", lambda: store.complete(bucket, key, upload_id, parts, only_if_absent=True))
        finally:
            store.abort(bucket, key, upload_id)
    finally:
        store.delete(bucket, key)


def _expect_refusal(operation: str, attempt: Callable[[], object]) -> None:
    try:
        attempt()
    except PreconditionFailed:
        return
    raise Configuration(f"the store ignores If-None-Match on {operation}: {_REMEDY}")
