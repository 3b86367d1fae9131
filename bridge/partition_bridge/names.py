"""How a file or an open upload is known as the bridge's own.

Part files are named ``<prefix>-<uuid>-<subtask>-<counter><suffix>``, and those of a batch job
``<prefix>-<uuid>-task-<subtask>-file-<counter>-<attempt><suffix>``. An open upload shows no metadata, so the uuid bears the
mark: a version 8 UUID (RFC 9562) whose first group is ``70627269``. It is of an attempt in the first form, of the insert in the second.
"""

from __future__ import annotations

import re
import secrets
import uuid

from partition_bridge.errors import Configuration

_LONGEST_KEY = 1024

#: User metadata of every object of the bridge: the token of the file (``x-amz-meta-pb-token`` on the wire).
TOKEN_METADATA = "pb-token"  # noqa: S105  # names a token, is none

#: Start of the name of the list that the commit of a batch insert keeps while it is at work; hidden, as all with a dot are.
LIST_OF_INSERT = ".bridge-insert-"

_MARKED = re.compile(
    r"-(?P<uuid>70627269-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"
    r"-(?:task-)?(?P<subtask>\d+)-(?:file-)?(?P<counter>\d+)(?!.*/)"
)


def folder_of(prefix: str) -> str:
    """Start of all keys under a table's path ``prefix``; "" is the whole bucket."""
    return f"{prefix.strip('/')}/" if prefix.strip("/") else ""


def is_marked(key: str) -> bool:
    """Whether the last segment of ``key`` is a part file name of the bridge."""
    return _MARKED.search(key) is not None


def writer_of(key: str) -> tuple[str, int, int] | None:
    """The uuid, subtask and counter in a part file's name, or None for a name that isn't the bridge's."""
    found = _MARKED.search(key)
    if found is None:
        return None
    return found["uuid"], int(found["subtask"]), int(found["counter"])


def require_short(key: str) -> None:
    """Raises ``Configuration`` for a key that S3 refuses, before anything is sent for it."""
    length = len(key.encode("utf-8"))
    if length > _LONGEST_KEY:
        raise Configuration(
            f"the key {key} has {length} bytes, and S3 allows {_LONGEST_KEY}: shorten the table's path, the partition's value or sink.file.prefix"
        )


def marked_uuid() -> str:
    """A new UUID with the mark, for what this side names."""
    data = bytearray(b"pbri" + secrets.token_bytes(12))
    data[6] = data[6] & 0x0F | 0x80
    data[8] = data[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(data)))
