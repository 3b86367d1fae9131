"""State entries: what is written is read back, anything else is refused (I7)."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition_bridge.entries import Entry, Part, decode, encode
from partition_bridge.errors import EntryRefused
from tests.support.golden_entries import FOLDER, GOLDEN

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
counts = st.integers(0, (1 << 63) - 1)


@st.composite
def pending(draw: st.DrawFn) -> Entry:
    """Any entry that may be written."""
    part_size = draw(st.integers(1, 1 << 40))
    number_of_parts = draw(st.integers(0, 5))
    sizes = [part_size] * max(0, number_of_parts - 1) + ([draw(st.integers(1, part_size))] if number_of_parts else [])
    checksums = st.none() | texts
    parts = tuple(Part(number, size, draw(texts), draw(checksums)) for number, size in enumerate(sizes, 1))
    tail = b"" if parts else draw(st.binary(max_size=50))
    return Entry(
        state="pending",
        bucket=draw(texts),
        key=draw(texts),
        partition=draw(st.just("") | texts.map(lambda text: text + "/")),
        token=draw(st.text("0123456789abcdef", min_size=32, max_size=32)),
        upload_id=draw(texts) if parts else None,
        parts=parts,
        part_size=part_size,
        sealed=True,
        size=sum(sizes) + len(tail),
        tail=tail,
        rows=draw(counts),
        checkpoint=draw(counts),
        created_ms=draw(counts),
        last_write_ms=draw(counts),
        encoder=draw(st.sampled_from(["arrow", "host"])),
        schema=draw(st.text("0123456789abcdef", min_size=16, max_size=16)),
    )


@given(pending())
def test_entry_survives_bytes(entry: Entry) -> None:
    """Writing and reading gives the same entry."""
    assert decode(encode(entry)) == entry


@given(pending(), st.data())
def test_any_change_of_the_bytes_is_refused(entry: Entry, data: st.DataObject) -> None:
    """A flipped bit, a cut and an added byte are all noticed."""
    whole = encode(entry)
    at = data.draw(st.integers(0, len(whole) - 1))
    flipped = bytearray(whole)
    flipped[at] ^= 1 << data.draw(st.integers(0, 7))
    for other in (bytes(flipped), whole[:at], whole + b"\0", whole + whole):
        with pytest.raises(EntryRefused):
            decode(other)


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_file_is_what_this_release_reads_and_writes(name: str) -> None:
    """Entries of released versions stay readable, and version 1 is written as it was."""
    golden = (FOLDER / f"{name}.bin").read_bytes()
    assert decode(golden) == GOLDEN[name], "the meaning is the same"
    assert encode(GOLDEN[name]) == golden, "the bytes are the same"


@pytest.mark.parametrize(
    "change",
    [
        {"state": "done"},
        {"key": ""},
        {"partition": "day=1"},
        {"token": "00"},
        {"upload_id": None},
        {"parts": ()},
        {"tail": b"x"},
        {"size": 1},
        {"size": -1},
        {"rows": True},
        {"checkpoint": 1 << 63},
        {"encoder": "other"},
        {"schema": "x" * 16},
        {"part_size": 1},
        {"parts": (Part(2, 16 << 20, "e"), Part(1, 12345, "e"))},
        {"parts": (Part(0, 16 << 20, "e"), Part(1, 12345, "e"))},
        {"parts": (Part(1, 12345, "e"), Part(2, 16 << 20, "e"))},
        {"parts": (Part(1, 16 << 20, ""), Part(2, 12345, "e"))},
        {"state": "completed"},
    ],
    ids=str,
)
def test_contradicting_fields_cannot_be_written(change: dict) -> None:
    """An entry that couldn't be completed never gets into state."""
    with pytest.raises(EntryRefused):
        dataclasses.replace(GOLDEN["v1-multipart"], **change)
