"""Parts: the same bytes, in equal pieces."""

from hypothesis import given
from hypothesis import strategies as st

from partition_bridge.parts import PartCutter


@given(st.lists(st.binary(max_size=50)), st.integers(1, 40))
def test_parts_are_the_stream_in_equal_pieces(chunks: list[bytes], part_size: int) -> None:
    """However the encoder cuts its chunks, all parts but the last have part_size, and nothing is lost or moved."""
    cutter = PartCutter(part_size)
    parts = []
    for chunk in chunks:
        parts += list(cutter.feed(chunk))
        assert cutter.pending < part_size, "what is full has left"
    rest = cutter.rest()
    assert [len(part) for part in parts] == [part_size] * len(parts)
    assert b"".join([*parts, rest]) == b"".join(chunks)
    assert cutter.pending == 0
