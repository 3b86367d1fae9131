"""The sizes that docs/operations.md reckons with are those of real state entries."""

import re
from pathlib import Path

from partition_bridge.entries import Entry, Part, encode

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "operations.md").read_text()
PART_SIZE = 16 << 20


def pending(parts: int, tail: bytes = b"", checksum: str | None = None) -> Entry:
    """A file as AWS's S3 names its upload: 128 letters."""
    stored = tuple(Part(number, PART_SIZE, f'"{"0" * 32}"', checksum) for number in range(1, parts + 1))
    return Entry(
        state="pending",
        bucket="lake",
        key="events/day=2026-12-03/hour=12/part-70627269-5645-8c84-8490-7d2f706a7a5b-999-123456",
        partition="day=2026-12-03/hour=12/",
        token="0" * 32,
        upload_id="u" * 128 if parts else None,
        parts=stored,
        part_size=PART_SIZE,
        sealed=True,
        size=parts * PART_SIZE + len(tail),
        tail=tail,
        rows=1_000_000,
        checkpoint=12_345,
        created_ms=1_796_299_248_328,
        last_write_ms=1_796_299_248_328,
        encoder="arrow",
        schema="0" * 16,
    )


def test_state_is_as_large_as_the_page_says() -> None:
    """A file, each part of it, and a file that travels in the checkpoint as a whole."""
    one, nine = (len(encode(pending(parts))) for parts in (1, 9))
    each = (nine - one) / 8
    digests = (len(encode(pending(9, checksum="0" * 11 + "="))) - nine) / 9
    inline = len(encode(pending(0, tail=bytes(1_000)))) - 1_000
    told = re.search(r"F · \((\d+) B \+ (\d+) B · ⌈b / S⌉\), (\d+) B more a part with checksums; F · \((\d+) B \+ b\)", PAGE)
    assert told is not None, "the page has the formula"
    said = [int(each) for each in told.groups()]
    assert [abs(real - word) <= 5 for real, word in zip((one - each, each, digests, inline), said, strict=True)] == [True] * 4, (
        f"{(one - each, each, digests, inline)} bytes are the real ones, {said} those of the page"
    )


def test_the_example_follows_from_the_formulas() -> None:
    """1,000 subtasks, 10 partitions each, 300 s, 1 GB/s."""
    files = 1_000 * 10
    size = 1e9 * 300 / files
    parts = -(-size // PART_SIZE)
    assert (files, size, parts) == (10_000, 30e6, 2), "files of 30 MB, of two parts"
    assert f"{files * (2 + parts):,.0f}, or {files * (2 + parts) / 300:.0f} a second" in PAGE, "requests"
    assert f"{files * (570 + 58 * parts) / 1e6:.1f} MB" in PAGE, "state"
    assert f"{1e12 / size * (2 + parts) / 1e3:.0f},000" in PAGE, "requests for a terabyte"
