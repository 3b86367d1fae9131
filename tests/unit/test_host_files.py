"""Files that the shim encodes with Flink's own formats: bytes in, the same bytes in the object, in parts as any other."""

import os

import pytest

from partition_bridge import entries
from partition_bridge.errors import ProtocolViolation
from partition_bridge.store.memory import MemoryStore
from tests.support.rows import random_rows
from tests.support.writers import InProcessWriter

HOST = {"encoder": "host", "schema": "0123456789abcdef"}
MIB = 1 << 20


def test_bytes_become_the_object_as_they_are() -> None:
    """Chunks of any size are cut into equal parts; the object holds exactly the bytes that came."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store, **HOST)
    shim = writer.shim
    chunks = [os.urandom(size) for size in (1, 3 * MIB, 4 * MIB, 10, 5 * MIB)]

    # Phase 1: the parts leave while the bytes come.
    shim.open(0, "part-0", "0a" * 16)
    for chunk in chunks:
        shim.encoded(0, chunk, rows=7)
    _, key, upload_id = shim.call("upload_created", 0)
    assert key == "part-0"

    # Phase 2: sealed by its barrier.
    shim.close_file(0)
    shim.barrier(1, [0])
    entry = entries.decode(shim.pull(0, 1))
    assert (entry.encoder, entry.schema, entry.upload_id) == ("host", "0123456789abcdef", upload_id), (
        "the entry says who encoded it"
    )
    assert [part.size for part in entry.parts] == [5 * MIB, 5 * MIB, 2 * MIB + 11], "equal parts but for the last"
    assert entry.rows == 35, "rows are counted though the bytes hide them"

    # Phase 3: visible.
    shim.commit(1)
    told = {"file": 0, "bytes": sum(map(len, chunks)), "rows": 35, "parts": 3, "upload_id": upload_id}
    assert shim.call("committed", 1)[1] == {"files": [told]}
    assert store.read("lake", "part-0") == b"".join(chunks)
    writer.shut_down()
    assert writer.errors == []


def test_small_and_empty_files_stay_inline() -> None:
    """Few bytes, or none at all, are stored by one PUT, whatever the threshold: a part can't be empty."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store, inline_threshold=10, **HOST)
    shim = writer.shim
    for file, content in enumerate((b"a,b\n", b"")):
        shim.open(file, f"part-{file}", "0a" * 16)
        shim.encoded(file, content)
        shim.close_file(file)
    shim.barrier(1, [0, 1])
    assert [entries.decode(shim.pull(file, 1)).tail for file in (0, 1)] == [b"a,b\n", b""]
    shim.commit(1)
    shim.call("committed", 1)
    assert [store.read("lake", f"part-{file}") for file in (0, 1)] == [b"a,b\n", b""]
    writer.shut_down()
    assert writer.errors == []


def test_more_open_files_than_memory_holds_are_asked_to_be_closed() -> None:
    """Tails of parts can't be flushed: the largest files are closed instead (I8)."""
    writer = InProcessWriter(MemoryStore("lake"), memory=16 * MIB, **HOST)
    shim = writer.shim
    for file in range(8):
        shim.open(file, f"part-{file}", "0a" * 16)
        shim.encoded(file, os.urandom(MIB))
    asked = shim.heard.wait_for("a request to close", lambda: [f for f, size in shim.heard.progress if size == (1 << 63) - 1])
    assert len(asked) < 8, "not more than needed"
    for file in range(8):
        shim.close_file(file)
    shim.barrier(1, range(8))
    shim.commit(1)
    assert sum(file["bytes"] for file in shim.call("committed", 1)[1]["files"]) == 8 * MIB, "nothing is lost on the way"
    writer.shut_down()
    assert writer.errors == []


@pytest.mark.parametrize("violation", ["bytes-for-arrow", "schema-for-host", "rows-for-host"])
def test_what_the_other_encoder_would_get_is_refused(violation: str) -> None:
    """A table is encoded on one side only: bytes where rows belong, or rows where bytes do, break the protocol."""
    writer = InProcessWriter(MemoryStore("lake"), **({} if violation == "bytes-for-arrow" else HOST))
    shim = writer.shim
    shim.open(0, "part-0", "0a" * 16)
    # One frame only: the writer hangs up at the first violation, and whoever waits for its credit then waits in vain.
    if violation == "bytes-for-arrow":
        shim.encoded(0, b"a,b\n")
    elif violation == "schema-for-host":
        shim.schema()
    else:
        shim.rows(0, random_rows(1))
    shim.heard.wait_for("the failure", lambda: writer.errors)
    assert isinstance(writer.errors[0], ProtocolViolation), "the frames can't be obeyed, and sending them again changes nothing"
