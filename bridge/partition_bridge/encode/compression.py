"""Compresses the bytes of text files block by block, so that no file holds a compressor between two blocks (I8).

    bytes ──block of 1 MiB, or what a barrier or the end cuts off──► compressed block ──► parts

gzip   header │ deflate blocks, byte-aligned by a sync flush each │ empty last block, CRC-32, length
zstd   a frame a block

A gzip file is one member, though it can be ended after any block: of several members Java's ``GZIPInputStream`` reads only the first ones
where a store's stream says that it has nothing available. zstd's frames can be joined by definition (RFC 8878).
"""

from __future__ import annotations

import struct
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from partition_bridge.parts import PartCutter

if TYPE_CHECKING:
    from partition_bridge.parts import Chunk

BLOCK = 1 << 20
"""Bytes, uncompressed. Larger ones hardly compress better, and each open file may hold one."""

# Of RFC 1952: deflate, no name, no time, unknown system.
_GZIP_HEADER = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
_EMPTY_LAST_BLOCK = b"\x03\0"
# The tools' own defaults.
_GZIP_LEVEL = 6
_ZSTD_LEVEL = 3


class Compressor(ABC):
    """Of one file. What ``feed`` and ``flush`` gave so far, with ``ending`` behind it, is at any time a whole file; without it, it goes on."""

    def __init__(self) -> None:
        self._blocks = PartCutter(BLOCK)
        self._begun = False

    @property
    def pending(self) -> int:
        """Bytes that came and aren't compressed yet: less than a block."""
        return self._blocks.pending

    def feed(self, chunk: Chunk) -> Iterator[bytes]:
        """Take ``chunk`` (kept by reference, so it must not change) and yield compressed blocks. Exhaust the iterator."""
        for block in self._blocks.feed(chunk):
            yield self._next(block)

    def flush(self) -> bytes:
        """Compress what is pending."""
        return self._next(self._blocks.rest()) if self.pending else b""

    @abstractmethod
    def ending(self) -> bytes:
        """What a file that ends here needs behind its blocks. Has no effect on what comes after."""

    @abstractmethod
    def _compress(self, block: bytearray) -> bytes: ...

    def _next(self, block: bytearray) -> bytes:
        compressed = self._compress(block)
        self._begun = True
        return compressed


class _Gzip(Compressor):
    def __init__(self) -> None:
        super().__init__()
        self._crc = 0
        self._size = 0

    def _compress(self, block: bytearray) -> bytes:
        self._crc = zlib.crc32(block, self._crc)
        self._size += len(block)
        deflate = zlib.compressobj(_GZIP_LEVEL, wbits=-zlib.MAX_WBITS)
        header = b"" if self._begun else _GZIP_HEADER
        return b"".join((header, deflate.compress(block), deflate.flush(zlib.Z_SYNC_FLUSH)))

    def ending(self) -> bytes:
        header = b"" if self._begun else _GZIP_HEADER
        return header + _EMPTY_LAST_BLOCK + struct.pack("<II", self._crc, self._size & 0xFFFFFFFF)


class _Zstd(Compressor):
    def __init__(self) -> None:
        # Only where it's asked for: files that the shim encodes need no pyarrow else.
        import pyarrow as pa

        super().__init__()
        self._codec = pa.Codec("zstd", compression_level=_ZSTD_LEVEL)

    def _compress(self, block: bytearray) -> bytes:
        return bytes(self._codec.compress(block, asbytes=True))

    def ending(self) -> bytes:
        # No bytes at all aren't a zstd file.
        return b"" if self._begun else self._compress(bytearray())


COMPRESSIONS: dict[str, Callable[[], Compressor] | None] = {"none": None, "gzip": _Gzip, "zstd": _Zstd}
"""The values of ``sink.file.compression``: what makes the compressor of a file."""
