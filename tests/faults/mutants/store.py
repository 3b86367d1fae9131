"""Mutants of the store: what is asked of it, and what its answers are taken for. Each function changes the product in this process."""

from dataclasses import replace
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


def uneven_parts() -> None:
    """Each part is larger than the one before, as with sinks that fear the 10,000th; the state calls them equal, since none else is written."""
    from partition_bridge.files import LiveFile
    from partition_bridge.parts import PartCutter

    rest, names = PartCutter.rest, LiveFile._entry.__globals__
    make = names["Entry"]

    def growing(self: PartCutter) -> bytearray:
        self._part_size += 1 << 20
        return rest(self)

    def levelled(*, parts: Any, part_size: int, **facts: Any) -> Any:
        behind = sum(part.size for part in parts) - part_size * (len(parts) - 1)
        sizes = [*[part_size] * (len(parts) - 1), behind]
        level = tuple(replace(part, size=size) for part, size in zip(parts, sizes, strict=False))
        return make(parts=level, part_size=part_size, **facts)

    PartCutter.rest = growing
    names["Entry"] = levelled


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
