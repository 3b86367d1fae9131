"""Mutants of the store: what is asked of it, and what its answers are taken for. Each function changes the product in this process."""

from typing import Any


def no_token() -> None:
    """Uploads and objects don't carry the file's token."""
    from partition_bridge.store.s3 import S3Store

    create = S3Store.create
    S3Store.create = lambda self, bucket, key, metadata: create(self, bucket, key, {})


def no_proof() -> None:
    """Any 200 is a yes."""
    from partition_bridge.store import s3

    s3._proof = lambda answer, name, what: answer.get(name, "x")


def part_cut_short() -> None:
    """A part is sent without its last byte."""
    from partition_bridge.store.s3 import S3Store

    upload = S3Store.upload_part
    S3Store.upload_part = lambda self, b, k, u, n, body: upload(self, b, k, u, n, body[:-1])


def part_errors_ignored() -> None:
    """A part that couldn't be sent counts as sent."""
    from partition_bridge.errors import BridgeError
    from partition_bridge.store.protocol import StoredPart
    from partition_bridge.store.s3 import S3Store

    upload = S3Store.upload_part

    def lenient(self: S3Store, *arguments: Any) -> StoredPart:
        try:
            return upload(self, *arguments)
        except BridgeError:
            return StoredPart('"lost"', None)

    S3Store.upload_part = lenient


def not_refreshed() -> None:
    """Credentials that have expired aren't asked for anew."""
    from partition_bridge.store import s3

    s3.expired = lambda error: False  # type: ignore[attr-defined]
