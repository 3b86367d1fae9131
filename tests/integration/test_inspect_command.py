"""The command `partition-bridge inspect`, on checkpoints that Flink's own classes wrote."""

import json
from pathlib import Path

from partition_bridge.entries import encode
from tests.support.checkpoints import make_checkpoint
from tests.support.commands import run
from tests.support.golden_entries import GOLDEN


def test_each_file_of_a_checkpoint_is_listed_with_its_state(tmp_path: Path) -> None:
    """Pending, open and completed files, with what a restore would have to do: rows, bytes, parts, and bytes that travel in the state."""
    entries = list(GOLDEN.values())
    checkpoint = make_checkpoint(tmp_path / "chk-7", [encode(each) for each in entries])

    told = run("inspect", "--json", str(checkpoint))
    assert told.returncode == 0, told.stderr
    listed = [json.loads(line) for line in told.stdout.splitlines()]
    assert {each["key"] for each in listed} == {each.key for each in entries}, "every file"
    states = {
        (each.state, each.sealed): "completed" if each.state == "completed" else "pending" if each.sealed else "open"
        for each in entries
    }
    assert sorted(each["state"] for each in listed) == sorted(states[each.state, each.sealed] for each in entries)
    assert sum(each["rows"] for each in listed) == sum(each.rows for each in entries)
    assert sum(each["bytes_in_state"] for each in listed) == sum(len(each.tail) for each in entries)
    in_parts = sorted(sum(part["size"] for part in each["parts"]) for each in listed)
    assert in_parts == sorted(sum(part.size for part in each.parts) for each in entries), "what is on the store already"

    table = run("inspect", str(checkpoint))
    uploads = sum(each.upload_id is not None for each in entries)
    assert f"{len(entries)} files, {uploads} of them uploads that are open on the store" in table.stdout
    printable = [each for each in entries if each.key.isprintable()]
    assert all(f"s3://{each.bucket}/{each.key} " in table.stdout for each in printable), "keys are shown whole, not folded"


def test_what_is_no_checkpoint_is_refused_and_a_checkpoint_without_files_says_so(tmp_path: Path) -> None:
    """A folder with nothing in it isn't a checkpoint without files."""
    nothing = run("inspect", str(tmp_path))
    assert nothing.returncode == 3, nothing.stdout
    assert str(tmp_path) in nothing.stderr, "which one can't be read"
    assert "Traceback" not in nothing.stderr

    empty = run("inspect", str(make_checkpoint(tmp_path / "chk-1", [])))
    assert (empty.returncode, empty.stdout) == (0, "0 files, 0 of them uploads that are open on the store; 0 rows, 0 bytes\n")
