"""Plays the shim's side of the data socket (docs/protocol.md) for a writer under test."""

import socket
import struct
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

_HEADER = struct.Struct(">BBHI")
GIVE_UP = 60.0  # seconds; no assert depends on it, it only ends a test whose writer hangs


def text(value: str) -> bytes:
    """A string as the wire has it."""
    data = value.encode()
    return struct.pack(">I", len(data)) + data


def frame(kind: int, payload: bytes = b"") -> bytes:
    """A whole frame."""
    return _HEADER.pack(kind, 0, 0, len(payload)) + payload


def with_file_column(schema: pa.Schema) -> pa.Schema:
    """The schema that goes over the wire: data columns and `__file`."""
    return schema.append(pa.field("__file", pa.int32(), nullable=False))


class WriterGone(AssertionError):
    """The writer closed its end of the socket."""


@dataclass
class Heard:
    """What the writer has sent; `changed` is notified at each frame and each control call."""

    changed: threading.Condition = field(default_factory=threading.Condition)
    credit: int = 0
    states: dict[tuple[int, int], bytes] = field(default_factory=dict)
    progress: list[tuple[int, int]] = field(default_factory=list)
    marks: dict[tuple[int, int], int] = field(default_factory=dict)
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    gone: bool = False
    gone_of: BaseException | None = None
    """What the writer has failed with, where it runs in this process."""

    def wait_for(self, what: str, holds: Any) -> Any:
        with self.changed:
            found = self.changed.wait_for(lambda: holds() or self.gone, GIVE_UP)
            answer = holds()
            how = f"is gone, of {self.gone_of!r}," if self.gone else "gave no sign"
            assert answer, f"the writer {how} before {what}; calls: {self.calls}"
            assert found
            return answer

    def calls_named(self, name: str) -> list[tuple[Any, ...]]:
        return [call[1:] for call in self.calls if call[0] == name]


class Shim:
    """Sends frames and hears what comes back. Rows wait for credit, as in the shim."""

    def __init__(self, line: socket.socket, schema: pa.Schema, heard: Heard) -> None:
        self._line = line
        self._schema = with_file_column(schema)
        self.heard = heard
        threading.Thread(target=self._listen, name="shim", daemon=True).start()

    def send(self, kind: int, payload: bytes = b"") -> None:
        self._line.sendall(frame(kind, payload))

    def schema(self) -> None:
        self.send(1, self._schema.serialize().to_pybytes())

    def open(self, file: int, key: str, token: str, created_ms: int = 1, partition: str = "") -> None:
        self.send(2, struct.pack(">Iq", file, created_ms) + text(partition) + text(key) + text(token))

    def rows(self, file: int, batch: pa.RecordBatch, files: Sequence[int] | None = None) -> None:
        column = pa.array([file] * batch.num_rows if files is None else files, pa.int32())
        whole = pa.RecordBatch.from_arrays([*batch.columns, column], schema=self._schema)
        payload = struct.pack(">iI", file, batch.num_rows) + whole.serialize().to_pybytes()
        self._take_credit(len(payload))
        self.send(3, payload)

    def _take_credit(self, size: int) -> None:
        self.heard.wait_for("credit", lambda: self.heard.credit >= size)
        with self.heard.changed:
            self.heard.credit -= size

    def encoded(self, file: int, content: bytes, rows: int = 1) -> None:
        """Bytes of a file that the shim encodes."""
        payload = struct.pack(">II", file, rows) + content
        self._take_credit(len(payload))
        self.send(4, payload)

    def close_file(self, file: int, reason: str = "checkpoint") -> None:
        self.send(5, struct.pack(">I", file) + text(reason))

    def barrier(self, checkpoint: int, files: Sequence[int], still_open: Sequence[int] = (), savepoint: bool = False) -> None:
        named = b"".join(struct.pack(f">I{len(each)}I", len(each), *each) for each in (files, still_open))
        self.send(6, struct.pack(">qB", checkpoint, savepoint) + named)

    def commit(self, checkpoint: int) -> None:
        self.send(7, struct.pack(">q", checkpoint))

    def restore(self, entries: Sequence[bytes]) -> None:
        for element, entry in enumerate(entries):
            self.send(9, struct.pack(">I", element) + entry)
        self.send(10, struct.pack(">I", len(entries)))

    def insert(self, insert: str, overwrite: int, entries: Sequence[bytes], success_file: str = "", rerun: bool = False) -> None:
        self.send(13, text(insert) + struct.pack(">B", overwrite) + text(success_file) + struct.pack(">B", rerun))
        self.restore(entries)

    def end_insert(self) -> None:
        self.send(14)

    def pull(self, file: int, checkpoint: int) -> bytes:
        self.send(11, struct.pack(">Iq", file, checkpoint))
        self.heard.wait_for(f"entry of file {file}", lambda: (file, checkpoint) in self.heard.states)
        return self.heard.states[file, checkpoint]

    def marked(self, file: int, checkpoint: int) -> int:
        """Bytes that the open file has in the state of the checkpoint, as the writer has told by itself."""
        self.heard.wait_for(f"mark of file {file}", lambda: (file, checkpoint) in self.heard.marks)
        return self.heard.marks[file, checkpoint]

    def shutdown(self) -> None:
        self.send(12)

    def call(self, name: str, *first: Any) -> tuple[Any, ...]:
        """The first control call `name` whose leading arguments are `first`; waits for it."""
        matching = lambda: [c for c in self.heard.calls_named(name) if c[: len(first)] == first]  # noqa: E731
        found: tuple[Any, ...] = self.heard.wait_for(f"{name}{first}", matching)[0]
        return found

    def _listen(self) -> None:
        try:
            while True:
                kind, _, _, length = _HEADER.unpack(self._exactly(_HEADER.size))
                self._hear(kind, self._exactly(length))
        except (WriterGone, OSError):
            with self.heard.changed:
                self.heard.gone = True
                self.heard.changed.notify_all()

    def _hear(self, kind: int, payload: bytes) -> None:
        with self.heard.changed:
            if kind == 1:
                self.heard.credit += struct.unpack(">q", payload)[0]
            elif kind == 2:
                file, checkpoint = struct.unpack_from(">Iq", payload)
                self.heard.states[file, checkpoint] = payload[12:]
            elif kind == 3:
                self.heard.progress.append(struct.unpack(">Iq", payload))
            elif kind == 4:
                file, checkpoint, tail = struct.unpack(">Iqq", payload)
                self.heard.marks[file, checkpoint] = tail
            self.heard.changed.notify_all()

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            got = self._line.recv(size - len(data))
            if not got:
                raise WriterGone
            data += got
        return data
