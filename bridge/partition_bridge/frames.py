"""Frames of the data socket: bytes to values and back (docs/protocol.md). Pure, strict, no I/O.

A frame with unknown type, wrong length, trailing bytes or a broken string raises ``ProtocolViolation``: rows that can't be
placed must never be guessed at.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from partition_bridge.errors import ProtocolViolation

HEADER = struct.Struct(">BBHI")
_U32 = struct.Struct(">I")
_I64 = struct.Struct(">q")
#: The shim cuts batches far below this; a longer frame is a broken stream, not a reason to allocate gigabytes.
MAX_PAYLOAD = 1 << 30


@dataclass(frozen=True)
class Schema:
    message: memoryview


@dataclass(frozen=True)
class Open:
    file: int
    created_ms: int
    partition: str
    key: str
    token: str


@dataclass(frozen=True)
class Batch:
    """``file`` is -1 where the rows of several files are told apart by the column ``__file``."""

    file: int
    rows: int
    message: memoryview
    size: int


@dataclass(frozen=True)
class Bytes:
    """The next bytes of a file that the shim encodes; ``rows`` were written since the file's BYTES before."""

    file: int
    rows: int
    content: memoryview
    size: int


@dataclass(frozen=True)
class Close:
    file: int
    reason: str


@dataclass(frozen=True)
class Barrier:
    checkpoint: int
    savepoint: bool
    files: tuple[int, ...]
    open: tuple[int, ...]


@dataclass(frozen=True)
class Commit:
    checkpoint: int


@dataclass(frozen=True)
class Aborted:
    checkpoint: int


@dataclass(frozen=True)
class Restore:
    element: int
    entry: bytes


@dataclass(frozen=True)
class RestoreEnd:
    count: int


@dataclass(frozen=True)
class Pull:
    file: int
    checkpoint: int


@dataclass(frozen=True)
class Shutdown:
    pass


class Overwrite(IntEnum):
    """What an insert removes."""

    NOTHING = 0
    ITS_PARTITIONS = 1
    THE_TABLE = 2


@dataclass(frozen=True)
class Insert:
    """``success_file``: name of the file that announces a partition, "" where none is written.
    ``rerun``: an earlier attempt may have begun to commit this insert.
    """

    id: str
    overwrite: Overwrite
    success_file: str
    rerun: bool


@dataclass(frozen=True)
class InsertEnd:
    pass


Frame = (
    Schema
    | Open
    | Batch
    | Bytes
    | Close
    | Barrier
    | Commit
    | Aborted
    | Restore
    | RestoreEnd
    | Pull
    | Shutdown
    | Insert
    | InsertEnd
)


class _Cursor:
    """Takes values off a payload; refuses to run past its end, and to leave a rest."""

    def __init__(self, payload: memoryview) -> None:
        self._payload = payload
        self._at = 0

    def take(self, form: str) -> int:
        layout = struct.Struct(">" + form)
        if self._at + layout.size > len(self._payload):
            raise ProtocolViolation(f"frame ends after {len(self._payload)} bytes, in the middle of a number")
        (value,) = layout.unpack_from(self._payload, self._at)
        self._at += layout.size
        return int(value)

    def string(self) -> str:
        size = self.take("I")
        if self._at + size > len(self._payload):
            raise ProtocolViolation(f"frame ends after {len(self._payload)} bytes, in the middle of a string of {size}")
        self._at += size
        try:
            return str(self._payload[self._at - size : self._at], "utf-8")
        except UnicodeDecodeError as broken:
            raise ProtocolViolation(f"string in frame isn't UTF-8: {broken.reason}") from None

    def rest(self) -> memoryview:
        rest, self._at = self._payload[self._at :], len(self._payload)
        return rest

    def end(self) -> None:
        if self._at != len(self._payload):
            raise ProtocolViolation(f"{len(self._payload) - self._at} bytes after the end of a frame")


def header(data: bytes | bytearray | memoryview) -> tuple[int, int]:
    """Type and payload length of the 8 header bytes."""
    kind, flags, reserved, length = HEADER.unpack(data)
    if flags or reserved:
        raise ProtocolViolation(f"frame of type {kind} with flags {flags} and reserved {reserved}: both must be 0")
    if kind not in _PARSERS:
        raise ProtocolViolation(f"unknown frame type {kind}")
    if length > MAX_PAYLOAD:
        raise ProtocolViolation(f"frame of type {kind} with {length} bytes; at most {MAX_PAYLOAD} are allowed")
    return kind, length


def parse(kind: int, payload: memoryview) -> Frame:
    """The frame of type ``kind``. Schema, Batch and Bytes keep views of ``payload``, so it must not be reused."""
    cursor = _Cursor(payload)
    frame = _PARSERS[kind](cursor)
    cursor.end()
    return frame


def _open(c: _Cursor) -> Frame:
    return Open(c.take("I"), c.take("q"), c.string(), c.string(), c.string())


def _batch(c: _Cursor) -> Frame:
    file, rows, message = c.take("i"), c.take("I"), c.rest()
    return Batch(file, rows, message, 8 + len(message))


def _bytes(c: _Cursor) -> Frame:
    file, rows, content = c.take("I"), c.take("I"), c.rest()
    return Bytes(file, rows, content, 8 + len(content))


def _barrier(c: _Cursor) -> Frame:
    checkpoint, savepoint, count = c.take("q"), c.take("B"), c.take("I")
    if savepoint not in (0, 1):
        raise ProtocolViolation(f"savepoint flag of barrier {checkpoint} is {savepoint}")
    files = tuple(c.take("I") for _ in range(count))
    return Barrier(checkpoint, bool(savepoint), files, tuple(c.take("I") for _ in range(c.take("I"))))


def _insert(c: _Cursor) -> Frame:
    insert, overwrite, success_file, rerun = c.string(), c.take("B"), c.string(), c.take("B")
    if overwrite > max(Overwrite) or rerun not in (0, 1):
        raise ProtocolViolation(f"insert {insert} with overwrite {overwrite} and rerun {rerun}")
    return Insert(insert, Overwrite(overwrite), success_file, bool(rerun))


_PARSERS: dict[int, Callable[[_Cursor], Frame]] = {
    1: lambda c: Schema(c.rest()),
    2: _open,
    3: _batch,
    4: _bytes,
    5: lambda c: Close(c.take("I"), c.string()),
    6: _barrier,
    7: lambda c: Commit(c.take("q")),
    8: lambda c: Aborted(c.take("q")),
    9: lambda c: Restore(c.take("I"), bytes(c.rest())),
    10: lambda c: RestoreEnd(c.take("I")),
    11: lambda c: Pull(c.take("I"), c.take("q")),
    12: lambda _: Shutdown(),
    13: _insert,
    14: lambda _: InsertEnd(),
}


def _frame(kind: int, *pieces: bytes) -> bytes:
    payload = b"".join(pieces)
    return HEADER.pack(kind, 0, 0, len(payload)) + payload


def string(text: str) -> bytes:
    """u32 length and UTF-8 bytes: the form of the handshake's token too."""
    data = text.encode("utf-8")
    return _U32.pack(len(data)) + data


def credit(size: int) -> bytes:
    """So many more payload bytes of BATCH and BYTES may be sent."""
    return _frame(1, _I64.pack(size))


def state(file: int, checkpoint: int, entry: bytes) -> bytes:
    """Answer to PULL; an empty ``entry`` says that the file is completed already."""
    return _frame(2, _U32.pack(file), _I64.pack(checkpoint), entry)


def progress(file: int, size: int) -> bytes:
    """``size`` bytes of the file are encoded so far."""
    return _frame(3, _U32.pack(file), _I64.pack(size))


def marked(file: int, checkpoint: int, tail: int) -> bytes:
    """``tail`` bytes of the file, which the barrier left open, are in no part and so in the snapshot."""
    return _frame(4, _U32.pack(file), _I64.pack(checkpoint), _I64.pack(tail))
