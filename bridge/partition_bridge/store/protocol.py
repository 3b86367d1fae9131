"""What the bridge asks of an object store.

Verbs that change nothing answer plainly. Verbs with an effect either return, or raise with a meaning:

    StoreUnavailable     unclear: the effect may have happened (I3), the caller reads back or tries again
    NoSuchUpload         the upload isn't known; completed before, aborted and expired look the same
    PreconditionFailed   there is an object under the key, nothing was changed
    PartsRefused         the parts are too small, in wrong order or unknown; the upload is as it was
    Configuration        bucket, permission, credentials or clock; a retry can't help

The caller owes: part numbers from 1 to 10,000, ascending in ``complete``; at least 5 MiB in each part but the last, and (Cloudflare
R2) equal sizes but for the last; ``metadata`` keys in lower case. A body is given as one buffer and not changed until the call
returns, so the store may send it again. All methods may be called from several threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from partition_bridge.entries import Part

Body = bytes | bytearray


@dataclass(frozen=True)
class StoredPart:
    """``retries``: how often the store's client had to send the part again."""

    etag: str
    checksum: str | None
    retries: int = 0


@dataclass(frozen=True)
class ObjectFacts:
    """What a HEAD tells; ``modified_ms`` is the store's clock."""

    key: str
    size: int
    etag: str
    metadata: Mapping[str, str]
    modified_ms: int


@dataclass(frozen=True)
class OpenUpload:
    """An upload that is neither completed nor aborted."""

    key: str
    upload_id: str
    initiated_ms: int


class Store(Protocol):
    """One object store, all buckets that the credentials reach."""

    def check_bucket(self, bucket: str) -> None:
        """Raises ``Configuration`` when the bucket is missing or refuses us."""

    def create(self, bucket: str, key: str, metadata: Mapping[str, str]) -> str:
        """Open an upload and give its id. Nothing is visible before ``complete``."""

    def upload_part(self, bucket: str, key: str, upload_id: str, number: int, body: Body) -> StoredPart:
        """Store a part; the same number again replaces it."""

    def complete(self, bucket: str, key: str, upload_id: str, parts: Sequence[Part], only_if_absent: bool) -> int:
        """Make the object visible. With ``only_if_absent`` an existing object raises, where the store can tell.

        Gives how often the client had to send it again: the yes to a repetition is no proof.
        """

    def abort(self, bucket: str, key: str, upload_id: str) -> None:
        """Forget the upload; an unknown one is no error."""

    def list_parts(self, bucket: str, key: str, upload_id: str) -> list[Part]:
        """Parts of an open upload, ascending. Raises ``NoSuchUpload``."""

    def put(self, bucket: str, key: str, body: Body, metadata: Mapping[str, str], only_if_absent: bool) -> int:
        """Store a whole object, otherwise as ``complete``."""

    def head(self, bucket: str, key: str) -> ObjectFacts | None:
        """The object under ``key``, None when there is none."""

    def get(self, bucket: str, key: str) -> bytes | None:
        """The content of an object, None when there is none; for small ones."""

    def list_uploads(self, bucket: str, prefix: str) -> Iterator[OpenUpload]:
        """Open uploads whose key starts with ``prefix``."""

    def list_objects(self, bucket: str, prefix: str) -> Iterator[ObjectFacts]:
        """Visible objects whose key starts with ``prefix``; their metadata isn't listed and is empty here."""

    def delete(self, bucket: str, key: str) -> None:
        """Remove an object; none there is no error."""

    def counts(self) -> Mapping[str, int]:
        """Since the start: ``throttles``, answers that ask for fewer requests, and ``credential_refreshes``."""
