"""The end of a Parquet file as bytes: its footer, four bytes with the footer's length, and the magic bytes once more."""

from __future__ import annotations

import io

import pyarrow.parquet as pq

MAGIC = b"PAR1"
LENGTH_AND_MAGIC = 8


def end_length(end: bytes) -> int:
    """How many bytes of the file are its footer and what follows it. ``end``: the last ``LENGTH_AND_MAGIC`` bytes, or more."""
    return int.from_bytes(end[-LENGTH_AND_MAGIC : -len(MAGIC)], "little") + LENGTH_AND_MAGIC


def read_end(end: bytes) -> pq.FileMetaData:
    """What the footer says. ``end``: the last ``end_length`` bytes; no others are needed. Raises pyarrow's errors."""
    return pq.read_metadata(io.BytesIO(MAGIC + end))


def make_end(metadata: pq.FileMetaData) -> bytes:
    """The end of a file with this metadata."""
    out = io.BytesIO()
    metadata.write_metadata_file(out)
    return out.getvalue()[len(MAGIC) :]
