"""State entry, version 1: one file of a checkpoint as bytes, and back (docs/protocol.md, I7). Pure.

Validated when written and when read; more or fewer keys, another form of the same JSON and bytes after the checksum are refused.
An entry is all that a restart needs: no option, older checkpoint or process.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

from partition_bridge.errors import EntryRefused

MAGIC = b"PBSE"
VERSION = 1
_PREFIX = struct.Struct(">4sHI")
_CRC = struct.Struct(">I")
_MAX_I64 = (1 << 63) - 1
_MAX_PARTS = 10_000


@dataclass(frozen=True)
class Part:
    """One part that the store holds. ``etag`` is as the store gave it; ``size`` in bytes."""

    number: int
    size: int
    etag: str
    checksum: str | None = None


@dataclass(frozen=True)
class Entry:
    """A file of a checkpoint. Sizes are bytes, times epoch milliseconds; the keys are those of docs/protocol.md.

    Raises ``EntryRefused`` when the fields contradict each other, so that no such entry can be written.
    """

    state: str
    bucket: str
    key: str
    partition: str
    token: str
    upload_id: str | None
    parts: tuple[Part, ...]
    part_size: int
    sealed: bool
    size: int
    tail: bytes
    rows: int
    checkpoint: int
    created_ms: int
    last_write_ms: int
    encoder: str
    schema: str

    def __post_init__(self) -> None:
        for name in ("bucket", "key"):
            _require(_is_text(getattr(self, name)) and getattr(self, name) != "", f"{name} must be a string with content")
        _require(
            _is_text(self.partition) and (not self.partition or self.partition.endswith("/")),
            "partition must be '' or end with '/'",
        )
        _require(_is_text(self.token) and re.fullmatch("[0-9a-f]{32}", self.token) is not None, "token must be 32 hex digits")
        _require(_is_text(self.schema) and re.fullmatch("[0-9a-f]{16}", self.schema) is not None, "schema must be 16 hex digits")
        _require(self.state in ("pending", "completed"), "state must be 'pending' or 'completed'")
        _require(self.encoder in ("arrow", "host"), "encoder must be 'arrow' or 'host'")
        _require(isinstance(self.sealed, bool), "sealed must be true or false")
        for name in ("part_size", "size", "rows", "checkpoint", "created_ms", "last_write_ms"):
            _require(_is_count(getattr(self, name)), f"{name} must be an integer from 0 to 2^63-1")
        if self.state == "completed":
            _require(
                self.upload_id is None and not self.parts and not self.tail, "a completed entry has no upload, parts or tail"
            )
        else:
            self._require_whole()

    def _require_whole(self) -> None:
        if self.upload_id is None:
            _require(not self.parts, "parts need an upload id")
        else:
            _require(_is_text(self.upload_id) and self.upload_id != "", "upload_id must be null or a string with content")
            _require(not (self.sealed and self.tail), "a sealed entry with an upload has no tail")
            _require(bool(self.parts) or not self.sealed, "a sealed entry with an upload has parts")
        for part in self.parts:
            _require(
                _is_count(part.number) and 1 <= part.number <= _MAX_PARTS,
                f"part number {part.number!r} is out of 1..{_MAX_PARTS}",
            )
            _require(_is_count(part.size) and part.size > 0, f"part {part.number} must have bytes")
            _require(_is_text(part.etag) and part.etag != "", f"part {part.number} has no ETag")
            _require(part.checksum is None or _is_text(part.checksum), f"checksum of part {part.number} must be null or a string")
        numbers = [part.number for part in self.parts]
        _require(all(a < b for a, b in pairwise(numbers)), "part numbers must ascend")
        # Equal sizes but for the last: some stores refuse anything else, and only at completion.
        _require(all(part.size == self.part_size for part in self.parts[:-1]), "parts before the last must have part_size bytes")
        _require(all(part.size <= self.part_size for part in self.parts[-1:]), "the last part is longer than part_size")
        total = sum(part.size for part in self.parts) + len(self.tail)
        _require(total == self.size, f"parts and tail have {total} bytes, size says {self.size}")


_KEYS = tuple(sorted(field.name for field in fields(Entry)))


def encode(entry: Entry) -> bytes:
    """Bytes of ``entry``."""
    header: dict[str, Any] = {name: getattr(entry, name) for name in _KEYS}
    header["parts"] = [[part.number, part.size, part.etag, part.checksum] for part in entry.parts]
    header["tail"] = len(entry.tail)
    text = _canonical(header)
    body = b"".join((_PREFIX.pack(MAGIC, VERSION, len(text)), text, entry.tail))
    return body + _CRC.pack(zlib.crc32(body))


def decode(data: bytes) -> Entry:
    """The entry in ``data``. Raises ``EntryRefused`` for anything else than exactly one whole entry of version 1."""
    _require(len(data) >= _PREFIX.size + _CRC.size, f"{len(data)} bytes are too few for a state entry")
    magic, version, length = _PREFIX.unpack_from(data)
    _require(magic == MAGIC, "not a state entry of the bridge: it doesn't start with PBSE")
    _require(
        version == VERSION,
        f"state entry has version {version}; this release reads version {VERSION}: use the release that wrote it or a newer one",
    )
    _require(
        _CRC.unpack(data[-4:])[0] == zlib.crc32(data[:-4]),
        "checksum of the state entry is wrong: the bytes were cut, lengthened or changed",
    )
    _require(_PREFIX.size + length + _CRC.size <= len(data), "header of the state entry is longer than the entry")
    text = data[_PREFIX.size : _PREFIX.size + length]
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise EntryRefused("header of the state entry isn't JSON") from None
    _require(isinstance(header, dict), "header of the state entry isn't a JSON object")
    _require(tuple(sorted(header)) == _KEYS, f"header of the state entry has keys {sorted(header)}, not {list(_KEYS)}")
    _require(_canonical(header) == text, "header of the state entry isn't in its canonical form: keys sorted, no blanks, UTF-8")
    tail = data[_PREFIX.size + length : -_CRC.size]
    _require(
        _is_count(header["tail"]) and header["tail"] == len(tail),
        f"tail has {len(tail)} bytes, the header says {header['tail']!r}",
    )
    return Entry(**{**header, "tail": tail, "parts": _parts(header["parts"])})


def _parts(rows: object) -> tuple[Part, ...]:
    _require(
        isinstance(rows, list) and all(isinstance(row, list) and len(row) == 4 for row in rows),
        "parts must be a list of lists of 4",
    )
    return tuple(Part(*row) for row in rows)  # type: ignore[attr-defined]  # checked a line above


def _canonical(header: dict[str, Any]) -> bytes:
    try:
        return json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise EntryRefused("a string of the state entry can't be written as UTF-8") from None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_I64


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise EntryRefused(otherwise)
