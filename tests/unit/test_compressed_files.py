"""Text files compressed on their way to the store: what each checkpoint names is a whole file, and so is the object."""

import os
import random
import zlib

import pyarrow as pa
import pytest

from partition_bridge import entries
from partition_bridge.encode.compression import BLOCK, COMPRESSIONS
from partition_bridge.store.memory import MemoryStore
from tests.support.writers import InProcessWriter

HOST = {"encoder": "host", "schema": "0123456789abcdef"}
MIB = 1 << 20
TOKEN = "0a" * 16
BOTH = pytest.mark.parametrize("compression", ["gzip", "zstd"])


def lines(count: int, seed: int) -> bytes:
    """Text that shrinks to about a half."""
    numbers = random.Random(seed)
    return b"".join(b'{"id":%d}\n' % numbers.getrandbits(60) for _ in range(count))


def decompressed(compression: str, data: bytes) -> bytes:
    """All of ``data``. Fails where a byte is missing or too many, or where a gzip file is of several members."""
    assert data, "no bytes at all aren't a compressed file"
    if compression == "zstd":
        return pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()
    reader = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    text = reader.decompress(data)
    assert reader.eof, "the member's end, with its checksum, is there"
    assert not reader.unused_data, "and nothing behind it"
    return text


@BOTH
def test_each_barrier_names_a_whole_compressed_file(compression: str) -> None:
    """A file of four checkpoints: each could be its last, and the file goes on as if none were."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store, compression=compression, inline_threshold=0, **HOST)
    shim = writer.shim
    stretches = [lines(10, 1), b"", lines(1_100_000, 2), lines(3, 3)]
    shim.open(0, "part-0", TOKEN)

    # Phase 1: barriers with a few lines, with none, and with more than a part's worth.
    named = []
    for checkpoint, stretch in enumerate(stretches[:3], 1):
        for start in range(0, len(stretch), MIB):
            shim.encoded(0, stretch[start : start + MIB])
        shim.barrier(checkpoint, [], still_open=[0])
        named.append(entries.decode(shim.pull(0, checkpoint)))
    assert [bool(entry.parts) for entry in named] == [False, False, True], "the third stretch fills a part"
    shim.encoded(0, stretches[3])
    shim.close_file(0)
    shim.barrier(4, [0])
    shim.pull(0, 4)
    shim.commit(4)
    size = shim.call("committed", 4)[1]["files"][0]["bytes"]

    # Phase 2: the object, and what each checkpoint would have made of it.
    whole = store.read("lake", "part-0")
    assert len(whole) == size < sum(map(len, stretches)) * 0.7, "it is compressed, and sizes are those of the object"
    assert decompressed(compression, whole) == b"".join(stretches)
    for entry, until in zip(named, (1, 2, 3), strict=True):
        stored = whole[: sum(part.size for part in entry.parts)]
        assert decompressed(compression, stored + entry.tail) == b"".join(stretches[:until]), f"barrier {until} (I1)"
    sizes = [*(entry.size for entry in named), size]
    assert sizes == sorted(sizes), "a later checkpoint's file is never smaller: an older one takes it for its own, grown (I3)"
    writer.shut_down()
    assert writer.errors == []


@BOTH
def test_a_restore_ends_the_compressed_file_where_its_checkpoint_left_it(compression: str) -> None:
    """The part that is stored and the tail of the state are together a whole file; the writer that restores needn't know of compression."""
    store = MemoryStore("lake")
    crashed = InProcessWriter(store, compression=compression, **HOST)
    text = lines(900_000, 4)
    crashed.shim.open(0, "part-0", TOKEN)
    for start in range(0, len(text), MIB):
        crashed.shim.encoded(0, text[start : start + MIB])
    crashed.shim.barrier(1, [], still_open=[0])
    entry = crashed.shim.pull(0, 1)
    assert entries.decode(entry).parts, "part of the file is stored already"
    crashed.shim.encoded(0, lines(1_000, 5))

    restored = InProcessWriter(store, **HOST)
    restored.shim.restore([entry])
    (summary,) = restored.shim.call("restored")
    assert summary["files"][0]["outcome"] == "completed"
    assert decompressed(compression, store.read("lake", "part-0")) == text
    restored.shut_down()


@BOTH
@pytest.mark.parametrize("content", [b"", b"one\n"], ids=["empty", "one line"])
def test_a_file_that_ends_without_a_barrier_is_whole(compression: str, content: bytes) -> None:
    """Batch jobs have no barrier before the end; no bytes at all are still a compressed file."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store, compression=compression, **HOST)
    shim = writer.shim
    shim.open(0, "part-0", TOKEN)
    if content:
        shim.encoded(0, content)
    shim.close_file(0)
    shim.barrier(1, [0])
    shim.commit(1)
    shim.call("committed", 1)
    assert decompressed(compression, store.read("lake", "part-0")) == content
    writer.shut_down()
    assert writer.errors == []


@BOTH
def test_the_shim_hears_the_compressed_size(compression: str) -> None:
    """`sink.rolling-policy.file-size` is about the file in the store, so the shim is told what it has come to."""
    writer = InProcessWriter(MemoryStore("lake"), compression=compression, **HOST)
    shim = writer.shim
    shim.open(0, "part-0", TOKEN)
    for _ in range(4):
        shim.encoded(0, b"x" * (BLOCK // 2))
    shim.barrier(1, [], still_open=[0])
    told = shim.heard.wait_for("two blocks to be told of", lambda: [size for _, size in shim.heard.progress][1:])
    assert 0 < told[0] < BLOCK / 100, "far fewer than came in"
    writer.shut_down()


@BOTH
def test_what_waits_to_be_compressed_counts(compression: str) -> None:
    """Blocks that aren't full take memory: with many open files, the largest are asked to be closed (I8)."""
    writer = InProcessWriter(MemoryStore("lake"), memory=16 * MIB, compression=compression, **HOST)
    shim = writer.shim
    for file in range(12):
        shim.open(file, f"part-{file}", TOKEN)
        shim.encoded(file, os.urandom(MIB - 1))
    shim.barrier(1, [], still_open=range(12))
    shim.call("snapshot_ready", 1)
    asked = shim.heard.wait_for("a request to close", lambda: [f for f, size in shim.heard.progress if size == (1 << 63) - 1])
    assert len(asked) < 12, "not more than needed"
    writer.shut_down()
    assert writer.errors == []


def test_every_value_of_the_option_is_known() -> None:
    """The shim's words (docs/options.md)."""
    assert set(COMPRESSIONS) == {"none", "gzip", "zstd"}
