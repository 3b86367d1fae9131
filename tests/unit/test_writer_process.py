"""The writer's stages together, in one process: rows in, entries and visible objects out."""

import io
from typing import Any

import pyarrow.parquet as pq
import pytest

from partition_bridge import entries
from partition_bridge.errors import Configuration, ProtocolViolation, UploadMissing
from partition_bridge.store.memory import MemoryStore
from tests.support.golden_entries import GOLDEN
from tests.support.rows import random_rows
from tests.support.writers import InProcessWriter


def ids(store: MemoryStore, key: str) -> list[int]:
    """Row ids of the Parquet object under `key`."""
    table = pq.read_table(io.BytesIO(store.read("lake", key)))
    return table.column("id").to_pylist()


def test_small_file_stays_inline_and_becomes_visible_at_commit() -> None:
    """A file under the threshold lives in its entry until the commit stores it by one PUT."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store)
    shim = writer.shim

    # Phase 1: one small file, sealed by barrier 1.
    shim.schema()
    shim.open(0, "day=1/part-0", "0a" * 16, partition="day=1/")
    shim.rows(0, random_rows(10))
    shim.close_file(0)
    shim.barrier(1, [0])
    entry = entries.decode(shim.pull(0, 1))
    _, summary = shim.call("snapshot_ready", 1)
    assert (entry.upload_id, entry.parts, len(entry.tail)) == (None, (), entry.size), "the whole file is in the entry"
    assert summary == {"files": 1, "parts": 0, "uploaded_bytes": 0, "inline_bytes": entry.size}
    assert list(store.list_objects("lake", "")) == [], "nothing is visible before the checkpoint is complete (I2)"

    # Phase 2: the checkpoint completes.
    shim.commit(1)
    assert shim.call("committed", 1)[1] == {
        "files": [{"file": 0, "bytes": entry.size, "rows": 10, "parts": 0, "upload_id": None}]
    }, "one request has stored it"
    assert ids(store, "day=1/part-0") == list(range(10)), "every row is there once"
    assert shim.pull(0, 2) == b"", "a completed file has no entry any more"
    writer.shut_down()
    assert writer.errors == []


def test_large_file_goes_up_in_equal_parts_while_it_is_written() -> None:
    """Parts leave as they fill; the entry names them all; the shim knows the upload first."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store, format_options={"parquet.block.size": str(4 << 20)})
    shim = writer.shim
    shim.schema()
    shim.open(0, "part-0", "0a" * 16)
    for batch in range(14):
        shim.rows(0, random_rows(1000, first=batch * 1000))
    _, key, upload_id = shim.call("upload_created", 0)
    assert key == "part-0"
    shim.close_file(0)
    shim.barrier(1, [0])
    entry = entries.decode(shim.pull(0, 1))
    assert entry.upload_id == upload_id
    sizes = [part.size for part in entry.parts]
    assert sizes[:-1] == [5 << 20] * (len(sizes) - 1), "equal parts but for the last"
    assert len(sizes) >= 2
    assert entry.tail == b""
    shim.commit(1)
    shim.call("committed", 1)
    assert ids(store, "part-0") == list(range(14_000))
    assert list(store.list_uploads("lake", "")) == [], "no upload is left"
    writer.shut_down()
    assert writer.errors == []


def test_commit_that_overtakes_its_barrier_waits_for_it() -> None:
    """End of input without a final checkpoint: BARRIER and COMMIT follow each other at once; every row is there once."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store)
    shim = writer.shim
    last = (1 << 63) - 1
    shim.schema()
    shim.open(0, "part-0", "0a" * 16)
    shim.open(1, "part-1", "0b" * 16)
    shim.rows(-1, random_rows(6), [0, 1, 0, 1, 0, 1])
    shim.close_file(0)
    shim.close_file(1)
    shim.barrier(last, [0, 1])
    shim.commit(last)
    _, summary = shim.call("committed", last)
    assert sorted(file["rows"] for file in summary["files"]) == [3, 3], "both files are told"
    assert (ids(store, "part-0"), ids(store, "part-1")) == ([0, 2, 4], [1, 3, 5]), "rows went to their own files"
    writer.shut_down()
    assert writer.errors == []


def test_empty_checkpoint_is_announced_too() -> None:
    """A checkpoint without files is ready and committed like any other: the committer counts on it (I4)."""
    writer = InProcessWriter(MemoryStore("lake"))
    writer.shim.barrier(1, [])
    assert writer.shim.call("snapshot_ready", 1)[1]["files"] == 0
    writer.shim.commit(1)
    assert writer.shim.call("committed", 1)[1] == {"files": []}
    writer.shut_down()


def test_files_of_an_aborted_checkpoint_are_completed_with_the_next() -> None:
    """ABORTED leaves its files pending; the entry for the next checkpoint is the same, and its commit covers them."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store)
    shim = writer.shim
    shim.schema()
    shim.open(0, "part-0", "0a" * 16)
    shim.rows(0, random_rows(3))
    shim.close_file(0)
    shim.barrier(1, [0])
    first = shim.pull(0, 1)
    shim.send(8, (1).to_bytes(8, "big"))
    shim.barrier(2, [])
    assert shim.pull(0, 2) == first, "an entry doesn't change once it is final"
    shim.commit(2)
    assert [file["file"] for file in shim.call("committed", 2)[1]["files"]] == [0]
    assert ids(store, "part-0") == [0, 1, 2]
    writer.shut_down()


def test_orderly_close_aborts_only_what_no_barrier_named() -> None:
    """SHUTDOWN leaves the upload of a pending file, and removes the one that no snapshot can know (I6)."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store, format_options={"parquet.block.size": str(4 << 20)})
    shim = writer.shim
    shim.schema()
    for file in (0, 1):
        shim.open(file, f"part-{file}", "0a" * 16)
        for batch in range(14):
            shim.rows(file, random_rows(1000, first=batch * 1000))
        shim.call("upload_created", file)
    shim.close_file(0)
    shim.barrier(1, [0])
    shim.call("snapshot_ready", 1)
    writer.shut_down()
    assert [upload.key for upload in store.list_uploads("lake", "")] == ["part-0"], "the named upload stays, the other is gone"
    assert list(store.list_objects("lake", "")) == [], "closing publishes nothing (I2)"
    assert writer.errors == []


def test_small_files_beyond_the_inline_limit_go_up_as_uploads() -> None:
    """State stays bounded: over the limit a small file is an upload of one part (I8)."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store, inline_limit=30_000)
    shim = writer.shim
    shim.schema()
    for file in range(3):
        shim.open(file, f"part-{file}", "0a" * 16)
        shim.rows(file, random_rows(20))
        shim.close_file(file)
    shim.barrier(1, [0, 1, 2])
    found = [entries.decode(shim.pull(file, 1)) for file in range(3)]
    assert [len(entry.parts) for entry in found] == [0, 1, 1], "the first fits, the others don't"
    assert sum(len(entry.tail) for entry in found) <= 30_000
    shim.commit(1)
    shim.call("committed", 1)
    assert [ids(store, f"part-{file}") for file in range(3)] == [list(range(20))] * 3
    writer.shut_down()


def test_rows_in_more_files_than_memory_holds_are_asked_to_be_closed() -> None:
    """When neither flushing nor uploading can free memory, the writer asks for the largest files to be closed, and goes on."""
    store = MemoryStore("lake")
    writer = InProcessWriter(store, memory=16 << 20)
    shim = writer.shim
    shim.schema()
    for file in range(40):
        shim.open(file, f"part-{file}", "0a" * 16)
    for batch in range(16):
        shim.rows(-1, random_rows(1000, first=batch * 1000), [row % 40 for row in range(1000)])
    asked = shim.heard.wait_for(
        "a request to close", lambda: [file for file, size in shim.heard.progress if size == (1 << 63) - 1]
    )
    assert len(asked) < 40, "not more than needed"
    for file in range(40):
        shim.close_file(file)
    shim.barrier(1, range(40))
    shim.commit(1)
    _, summary = shim.call("committed", 1)
    assert sum(file["rows"] for file in summary["files"]) == 16_000, "no row is lost on the way"
    writer.shut_down()
    assert writer.errors == []


def test_lost_upload_is_skipped_only_on_wish_and_reported() -> None:
    """sink.restore.missing-upload: 'fail' fails the restore; 'skip' completes the rest and says what was lost."""
    store = MemoryStore("lake")
    gone = entries.encode(GOLDEN["v1-multipart"])
    there = entries.encode(GOLDEN["v1-inline"])
    failing = InProcessWriter(store)
    failing.shim.restore([gone])
    failing.shim.heard.wait_for("the failure", lambda: failing.errors)
    assert isinstance(failing.errors[0], UploadMissing)
    skipping = InProcessWriter(store, missing_upload="skip")
    skipping.shim.restore([gone, there])
    (summary,) = skipping.shim.call("restored")
    assert [(file["element"], file["outcome"]) for file in summary["files"]] == [(0, "skipped"), (1, "completed")]
    assert skipping.warnings[0].startswith("skipped: the upload upload-1 "), (
        "the loss is told, and whoever logs it says who speaks"
    )
    skipping.shut_down()


def test_a_key_that_s3_refuses_fails_the_writer_before_an_upload_begins() -> None:
    """1,024 bytes of UTF-8 are S3's limit; one more is a configuration error that says how long it is and what to shorten."""
    longest = "ü" * 512
    store = MemoryStore("lake")
    writer = InProcessWriter(store)
    writer.shim.schema()
    writer.shim.open(0, longest, "0a" * 16)
    writer.shim.barrier(1, [])
    writer.shim.call("snapshot_ready", 1)
    assert writer.errors == [], "the longest passes"
    writer.shim.open(1, longest + "k", "0b" * 16)
    writer.shim.heard.wait_for("the failure", lambda: writer.errors)
    assert isinstance(writer.errors[0], Configuration)
    assert "1025 bytes, and S3 allows 1024: shorten the table's path" in str(writer.errors[0])
    assert list(store.list_uploads("lake", "")) == []


@pytest.mark.parametrize("kind", [3, 5, 11])
def test_frames_for_unknown_files_fail_the_writer(kind: int) -> None:
    """A frame that names a file that was never opened ends the writer: guessing would lose rows."""
    writer = InProcessWriter(MemoryStore("lake"))
    payload = {3: b"\0" * 8, 5: b"\0\0\0\5" + b"\0" * 4, 11: b"\0\0\0\5" + b"\0" * 8}[kind]
    writer.shim.send(kind, payload)
    writer.shim.heard.wait_for("the failure", lambda: writer.errors)
    assert isinstance(writer.errors[0], ProtocolViolation)


def test_numbers_tell_of_parts_and_of_what_is_pending() -> None:
    """Every two seconds; each part's time is told once, and a file is pending from its barrier to its commit."""
    writer = InProcessWriter(MemoryStore("lake"), inline_threshold=0)
    shim = writer.shim
    shim.schema()
    shim.open(0, "part-0", "0a" * 16)
    shim.rows(0, random_rows(10))
    shim.close_file(0)
    shim.barrier(1, [0])
    size = entries.decode(shim.pull(0, 1)).size

    def told(files: int) -> list[dict[str, Any]]:
        return [numbers for (numbers,) in shim.heard.calls_named("metrics") if numbers["files_pending"] == files]

    (pending, *_) = shim.heard.wait_for("numbers with a pending file", lambda: told(1))
    assert pending["bytes_pending"] == size
    assert pending["writer_rss"] > 10 << 20, "Python itself has more"
    shim.commit(1)
    shim.call("committed", 1)
    shim.heard.wait_for("numbers without one", lambda: told(0) and told(0)[-1]["parts_uploaded"])
    times = [each for (numbers,) in shim.heard.calls_named("metrics") for each in numbers["part_ms"]]
    assert len(times) == 1, "one part"
    writer.shut_down()
