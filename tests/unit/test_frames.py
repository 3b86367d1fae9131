"""Frames: whole ones are read, broken ones are refused."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition_bridge import frames
from partition_bridge.errors import ProtocolViolation
from tests.support.jvm import frame, text

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
u32 = st.integers(0, (1 << 32) - 1)
i64 = st.integers(-(1 << 63), (1 << 63) - 1)


def read(data: bytes) -> frames.Frame:
    """The frame in `data`, read as the reader does."""
    kind, length = frames.header(data[:8])
    assert length == len(data) - 8, "the header tells the payload's length"
    return frames.parse(kind, memoryview(data)[8:])


@given(u32, i64, texts, texts, texts)
def test_open_is_read_as_sent(file: int, created: int, partition: str, key: str, token: str) -> None:
    """All fields of an OPEN frame come through, whatever letters they have."""
    payload = struct.pack(">Iq", file, created) + text(partition) + text(key) + text(token)
    assert read(frame(2, payload)) == frames.Open(file, created, partition, key, token)


@given(i64, st.booleans(), st.lists(u32, max_size=20), st.lists(u32, max_size=20))
def test_barrier_is_read_as_sent(checkpoint: int, savepoint: bool, files: list[int], still_open: list[int]) -> None:
    """A BARRIER names its files in order, sealed and open ones."""
    lists = b"".join(struct.pack(f">I{len(each)}I", len(each), *each) for each in (files, still_open))
    payload = struct.pack(">qB", checkpoint, savepoint) + lists
    assert read(frame(6, payload)) == frames.Barrier(checkpoint, savepoint, tuple(files), tuple(still_open))


@given(st.integers(-1, 5), u32, st.binary(max_size=50))
def test_batch_counts_its_whole_payload(file: int, rows: int, message: bytes) -> None:
    """Credit counts payload bytes, so a batch knows how many it had."""
    got = read(frame(3, struct.pack(">iI", file, rows) + message))
    assert isinstance(got, frames.Batch)
    assert (got.file, got.rows, bytes(got.message), got.size) == (file, rows, message, 8 + len(message))


@given(u32, u32, st.binary(max_size=50))
def test_bytes_count_their_whole_payload(file: int, rows: int, content: bytes) -> None:
    """As batches do: credit makes no difference between the two encoders."""
    got = read(frame(4, struct.pack(">II", file, rows) + content))
    assert isinstance(got, frames.Bytes)
    assert (got.file, got.rows, bytes(got.content), got.size) == (file, rows, content, 8 + len(content))


@given(texts, st.sampled_from(frames.Overwrite), texts, st.booleans())
def test_insert_is_read_as_sent(insert: str, overwrite: frames.Overwrite, success_file: str, rerun: bool) -> None:
    """All that the commit of a batch insert is told."""
    payload = text(insert) + struct.pack(">B", overwrite) + text(success_file) + struct.pack(">B", rerun)
    assert read(frame(13, payload)) == frames.Insert(insert, overwrite, success_file, rerun)


@pytest.mark.parametrize(("overwrite", "rerun"), [(3, 0), (0, 2)])
def test_insert_that_means_nothing_known_is_refused(overwrite: int, rerun: int) -> None:
    """What an unknown number asks to be removed can't be guessed."""
    payload = text("id") + struct.pack(">B", overwrite) + text("") + struct.pack(">B", rerun)
    with pytest.raises(ProtocolViolation, match="insert id"):
        read(frame(13, payload))


@pytest.mark.parametrize(("kind", "payload"), [(7, 8), (8, 8), (11, 12), (12, 0), (10, 4), (14, 0)])
@given(extra=st.integers(-4, 4).filter(bool))
def test_wrong_length_is_refused(kind: int, payload: int, extra: int) -> None:
    """Cut or lengthened frames of fixed size are refused."""
    if payload + extra < 0:
        return
    with pytest.raises(ProtocolViolation):
        read(frame(kind, bytes(payload + extra)))


@given(st.integers(1, 12), st.binary(max_size=40))
def test_any_payload_is_read_or_refused(kind: int, payload: bytes) -> None:
    """No payload gives another error than a refusal."""
    try:
        read(frame(kind, payload))
    except ProtocolViolation:
        return


@pytest.mark.parametrize(
    "header",
    [
        b"\x00" * 8,
        b"\x0f" + b"\x00" * 7,
        b"\x07\x01" + b"\x00" * 6,
        b"\x07\x00\x00\x01" + b"\x00" * 4,
        b"\x03\x00\x00\x00\xff\xff\xff\xff",
    ],
)
def test_unknown_headers_are_refused(header: bytes) -> None:
    """Unknown types, flags, reserved bits and absurd lengths are refused before anything is allocated."""
    with pytest.raises(ProtocolViolation):
        frames.header(header)


def test_broken_text_is_refused() -> None:
    """A string that isn't UTF-8 can't name a file."""
    with pytest.raises(ProtocolViolation):
        read(frame(5, struct.pack(">II", 0, 1) + b"\xff"))


def test_frames_to_the_shim_have_the_documented_bytes() -> None:
    """CREDIT, STATE and PROGRESS, byte by byte."""
    assert frames.credit(258) == bytes.fromhex("0100000000000008 0000000000000102")
    assert frames.state(1, 2, b"xy") == bytes.fromhex("020000000000000e 00000001 0000000000000002") + b"xy"
    assert frames.progress(1, 2) == bytes.fromhex("030000000000000c 00000001 0000000000000002")
