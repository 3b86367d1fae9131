"""Reads the data socket for as long as the writer lives, whatever the encoder does.

SCHEMA, BATCH, BYTES, CLOSE, BARRIER ──► queue of the encode loop, in order (bounded by credit)
OPEN, PULL, COMMIT, ABORTED          ──► desk, at once
RESTORE, RESTORE_END                 ──► restoration, or the commit of a batch insert where INSERT came first
SHUTDOWN                             ──► returns
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

from partition_bridge import frames
from partition_bridge.desk import Desk
from partition_bridge.encode_loop import EncodeLoop
from partition_bridge.errors import ProtocolViolation, Retry
from partition_bridge.restore import Restoration

# Bytes from which a frame's memory is worth a thought.
_LARGE = 1 << 16


def connect(address: str | int, token: str) -> socket.socket:
    """The data socket, with the handshake sent. A string is a Unix socket's path, a number a port on loopback."""
    try:
        if isinstance(address, str):
            line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            line.connect(address)
        else:
            line = socket.create_connection(("127.0.0.1", address))
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.sendall(frames.string(token))
    except OSError as broken:
        raise Retry(f"the task's socket can't be reached: {broken}") from broken
    return line


class Reader:
    """``restore`` is called once all entries are there, with the insert that they are of, if any; ``end_insert`` at its end.

    Neither may wait. ``allocate`` gives the memory of a large frame by its size in bytes: anything with a writable buffer.
    """

    def __init__(
        self,
        line: socket.socket,
        desk: Desk,
        loop: EncodeLoop,
        restoration: Restoration,
        restore: Callable[[frames.Insert | None], None],
        end_insert: Callable[[], None],
        allocate: Callable[[int], Any] = bytearray,
    ) -> None:
        self._allocate = allocate
        self._line = line
        self._desk = desk
        self._loop = loop
        self._restoration = restoration
        self._restore = restore
        self._end_insert = end_insert
        self._insert: frames.Insert | None = None

    def run(self) -> None:
        """Returns at SHUTDOWN. Raises ``Retry`` when the stream ends without, ``ProtocolViolation`` for a broken one."""
        while not isinstance(frame := self._next(), frames.Shutdown):
            self._dispatch(frame)

    def _next(self) -> frames.Frame:
        kind, length = frames.header(self._read(frames.HEADER.size))
        return frames.parse(kind, self._read(length))

    def _read(self, size: int) -> memoryview:
        data = memoryview(self._allocate(size) if size >= _LARGE else bytearray(size))
        done = 0
        while done < size:
            got = self._line.recv_into(data[done:])
            if not got:
                raise Retry("the task closed the data socket without a shutdown frame")
            done += got
        return data

    def _dispatch(self, frame: frames.Frame) -> None:  # noqa: C901  # one branch a frame type is the plainest table
        desk = self._desk
        if isinstance(frame, (frames.Batch, frames.Bytes)):
            desk.received(frame)
            self._loop.queue.put(frame)
        elif isinstance(frame, (frames.Schema, frames.Close)):
            self._loop.queue.put(frame)
        elif isinstance(frame, frames.Open):
            desk.opened(frame)
        elif isinstance(frame, frames.Barrier):
            desk.barrier_received(frame)
            self._loop.queue.put(frame)
        elif isinstance(frame, frames.Commit):
            desk.commit_asked(frame.checkpoint)
        elif isinstance(frame, frames.Aborted):
            desk.aborted(frame.checkpoint)
        elif isinstance(frame, frames.Pull):
            desk.pulled(frame.file, frame.checkpoint)
        elif isinstance(frame, frames.Restore):
            self._restoration.entries.append((frame.element, frame.entry))
        elif isinstance(frame, frames.RestoreEnd):
            if frame.count != len(self._restoration.entries):
                raise ProtocolViolation(f"{len(self._restoration.entries)} restored entries came, {frame.count} were announced")
            self._restore(self._insert)
        elif isinstance(frame, frames.Insert):
            self._insert = frame
        elif isinstance(frame, frames.InsertEnd):
            self._end_insert()
