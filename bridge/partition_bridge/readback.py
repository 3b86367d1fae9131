"""What lies under a key, compared with the file that should be there (I3). Pure.

Proof is the file's token, set as user metadata when its upload was created, together with its exact size: both come from this file's
entry alone. ETags are no proof: under encryption and on many stores they aren't digests, and a token is never used twice.
"""

from __future__ import annotations

from enum import Enum

from partition_bridge.entries import Entry
from partition_bridge.errors import ForeignObject
from partition_bridge.names import TOKEN_METADATA
from partition_bridge.store.protocol import ObjectFacts


class Found(Enum):
    """Verdict on a key."""

    OURS = "ours"
    GROWN = "grown"
    ABSENT = "absent"
    OTHER = "other"


def classify(entry: Entry, there: ObjectFacts | None) -> Found:
    """Verdict on what a HEAD found. A file that was open may have grown since; a sealed one has exactly its size."""
    if there is None:
        return Found.ABSENT
    if there.metadata.get(TOKEN_METADATA) != entry.token:
        return Found.OTHER
    if there.size == entry.size:
        return Found.OURS
    return Found.GROWN if there.size > entry.size and not entry.sealed else Found.OTHER


def foreign(entry: Entry, there: ObjectFacts) -> ForeignObject:
    """The error for an object that isn't ours: it stays as it is (I10)."""
    token = there.metadata.get(TOKEN_METADATA)
    return ForeignObject(
        f"s3://{entry.bucket}/{entry.key} holds another object ({there.size} bytes, token {token}) than the file of checkpoint {entry.checkpoint} "
        f"({entry.size} bytes, token {entry.token}, upload {entry.upload_id}). It is left as it is. Find out who writes there; "
        "move that object away and restart the job to complete the file"
    )
