"""What the commit of a batch insert is going to do, as bytes under the table's path: written before the first deed (docs/batch.md). Pure.

    list := "PBIL" | u16 version = 1 | u32 count, keys to remove, a string each | u32 count, entries, each after its u32 length | u32 CRC-32 of all before

Validated when it is read: another version, bytes too few or too many, and a wrong checksum are refused (I7).
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from partition_bridge import entries
from partition_bridge.errors import EntryRefused

MAGIC = b"PBIL"
VERSION = 1
_HEAD = struct.Struct(">4sH")
_U32 = struct.Struct(">I")


@dataclass(frozen=True)
class InsertList:
    """``remove``: keys of visible objects, in the order in which they go; ``files``: what becomes visible then."""

    remove: tuple[str, ...]
    files: tuple[entries.Entry, ...]


def encode(plan: InsertList) -> bytes:
    """Bytes of ``plan``."""
    pieces = [_HEAD.pack(MAGIC, VERSION)]
    for block in ([key.encode("utf-8") for key in plan.remove], [entries.encode(entry) for entry in plan.files]):
        pieces.append(_U32.pack(len(block)))
        for item in block:
            pieces += (_U32.pack(len(item)), item)
    body = b"".join(pieces)
    return body + _U32.pack(zlib.crc32(body))


def decode(data: bytes) -> InsertList:
    """The list that ``data`` is. Raises ``EntryRefused``."""
    _require(len(data) >= _HEAD.size + _U32.size, "it is too short")
    magic, version = _HEAD.unpack_from(data)
    _require(magic == MAGIC, "it doesn't begin like one of the bridge's")
    _require(version == VERSION, f"it has format version {version}, this release reads {VERSION}")
    body = data[: -_U32.size]
    _require(zlib.crc32(body) == _U32.unpack_from(data, len(body))[0], "its checksum doesn't match")
    remove, at = _block(body, _HEAD.size)
    files, at = _block(body, at)
    _require(at == len(body), "it goes on after its end")
    return InsertList(tuple(key.decode("utf-8") for key in remove), tuple(entries.decode(entry) for entry in files))


def _block(body: bytes, at: int) -> tuple[list[bytes], int]:
    count, at = _number(body, at)
    items = []
    for _ in range(count):
        size, at = _number(body, at)
        _require(at + size <= len(body), "it ends in the middle of an item")
        items.append(body[at : at + size])
        at += size
    return items, at


def _number(body: bytes, at: int) -> tuple[int, int]:
    _require(at + _U32.size <= len(body), "it ends in the middle of a number")
    return _U32.unpack_from(body, at)[0], at + _U32.size


def _require(holds: bool, fault: str) -> None:
    if not holds:
        raise EntryRefused(f"the list of a batch insert isn't valid: {fault}")
