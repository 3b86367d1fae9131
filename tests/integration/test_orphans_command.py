"""The command `partition-bridge orphans`, against a real store and checkpoints that Flink's own classes wrote."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from partition_bridge.entries import encode
from partition_bridge.install.flink_home import find_flink_home
from partition_bridge.install.shim import own_jar
from partition_bridge.retained import named_uploads, retained
from tests.integration.faults import wait_for
from tests.support.checkpoints import make_checkpoint
from tests.support.commands import partition_bridge
from tests.support.golden_entries import GOLDEN
from tests.support.servers import S3Server, SeaweedFS

UUID = "70627269-1a2b-8c3d-9e4f-0123456789ab"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A store with the bucket that the golden entries name."""
    with SeaweedFS(tmp_path_factory.mktemp("store")) as server:
        server.create_bucket("lake")
        yield server


def orphans_command(server: S3Server, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `partition-bridge orphans`."""
    return partition_bridge(server, "orphans", *arguments)


def create_upload(server: S3Server, key: str) -> str:
    """An open upload, as a killed writer leaves it."""
    return server.client().create_multipart_upload(Bucket="lake", Key=key)["UploadId"]


@pytest.mark.parametrize("compressed", [False, True])
def test_every_entry_of_a_checkpoint_is_read_back_and_other_states_are_left_alone(tmp_path: Path, *, compressed: bool) -> None:
    """Entries of both subtasks come back as they were written, from the directory, its file and a folder above."""
    written = list(GOLDEN.values())
    checkpoint = make_checkpoint(tmp_path / "job" / "chk-7", [encode(entry) for entry in written], compressed=compressed)

    for given in (checkpoint, checkpoint / "_metadata", tmp_path):
        read = retained(find_flink_home(None).path, own_jar().path, [str(given)]).entries
        assert sorted(map(encode, read)) == sorted(map(encode, written)), f"read by way of {given.name}"
    assert (GOLDEN["v1-multipart"].key, "upload-1") in named_uploads(written), "a pending entry names its upload"


def test_a_checkpoint_that_a_running_job_replaces_is_read_anew(tmp_path: Path) -> None:
    """The directory of a running job is given: chk-7 is removed while it's being read, and chk-8 is there instead."""
    newer = make_checkpoint(tmp_path / "chk-8", [encode(GOLDEN["v1-multipart"])])
    job = tmp_path / "checkpoints" / "job"
    older = job / "chk-7"
    older.mkdir(parents=True)
    os.mkfifo(older / "_metadata")
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(retained, find_flink_home(None).path, own_jar().path, [str(tmp_path / "checkpoints")])
        # A pipe opens when both sides do: the reader is at chk-7 now.
        with (older / "_metadata").open("wb"):
            shutil.rmtree(older)
            newer.rename(job / "chk-8")
        assert reading.result().entries == [GOLDEN["v1-multipart"]], "what the newer one names, and no error"


def test_orphans_are_listed_and_on_wish_aborted_but_never_what_a_checkpoint_names(server: S3Server, tmp_path: Path) -> None:
    """Three uploads: one that a checkpoint names, one that none names, one of another program."""
    kept_key, lost_key = f"t/day=1/part-{UUID}-0-0", f"t/day=1/part-{UUID}-0-1"
    kept, lost = create_upload(server, kept_key), create_upload(server, lost_key)
    foreign = create_upload(server, "t/day=1/somebody-elses")
    named = replace(GOLDEN["v1-multipart"], key=kept_key, upload_id=kept)
    checkpoint = str(make_checkpoint(tmp_path / "chk-7", [encode(named)]))

    listed = orphans_command(server, "s3://lake/t", "--checkpoints", checkpoint, "--job-stopped", "--json")
    assert listed.returncode == 1, f"something is left: {listed.stderr}"
    assert [json.loads(line)["upload_id"] for line in listed.stdout.splitlines()] == [lost], "only the unnamed one of ours"

    aborted = orphans_command(server, "s3a://lake/t/", "--checkpoints", checkpoint, "--job-stopped", "--abort")
    assert aborted.returncode == 0, f"nothing is left: {aborted.stderr}"
    assert "1 orphaned upload aborted" in aborted.stdout, "the count is told"

    open_now = {upload["UploadId"] for upload in server.client().list_multipart_uploads(Bucket="lake", Prefix="t/")["Uploads"]}
    assert open_now == {kept, foreign}, "the named and the foreign upload are as they were"


def test_uploads_younger_than_the_newest_checkpoint_are_left_to_the_running_job(server: S3Server, tmp_path: Path) -> None:
    """What a running job began after its last barrier is in no checkpoint yet: it's refused, unless the job is said to be stopped."""
    upload = create_upload(server, f"y/part-{UUID}-0-0")
    checkpoint = make_checkpoint(tmp_path / "chk-7", [])
    shown = ("--checkpoints", str(checkpoint))

    def aged(minutes: int) -> None:
        then = time.time() + 60 * minutes
        os.utime(checkpoint / "_metadata", (then, then))

    # Phase 1: the checkpoint is complete since five minutes after the upload began. Its barrier may be older than the upload.
    aged(5)
    young = orphans_command(server, "s3://lake/y", *shown, "--abort")
    assert young.returncode == 0, f"nothing is known to be an orphan: {young.stderr}"
    assert "1 younger upload is left alone" in young.stdout
    assert "--job-stopped" in young.stdout, "the way on is named"
    # Phase 2: the same, where no checkpoint takes longer than a minute, or where no job runs.
    for known in (("--checkpoint-timeout", "1m"), ("--job-stopped",)):
        listed = orphans_command(server, "s3://lake/y", *shown, *known, "--json")
        assert [json.loads(line)["upload_id"] for line in listed.stdout.splitlines()] == [upload], f"an orphan with {known}"
        assert listed.returncode == 1
    # Phase 3: a later checkpoint doesn't name it either. As a savepoint it tells nothing about how far a running job is.
    aged(15)
    savepoint = orphans_command(server, "s3://lake/y", "--savepoints", str(checkpoint), "--abort")
    assert "1 younger upload is left alone" in savepoint.stdout
    late = orphans_command(server, "s3://lake/y", *shown, "--abort")
    assert "1 orphaned upload aborted" in late.stdout, f"its barrier was later than the upload: {late.stderr}"


def test_only_uploads_of_an_age_are_touched(server: S3Server) -> None:
    """With --older-than what is younger is neither listed nor aborted, whatever else is said."""
    upload = create_upload(server, f"a/part-{UUID}-0-0")
    began = time.monotonic()
    young = orphans_command(server, "s3://lake/a", "--no-checkpoints", "--older-than", "1h", "--abort")
    assert young.returncode == 0, f"nothing is that old: {young.stderr}"
    there = server.client().list_multipart_uploads(Bucket="lake", Prefix="a/").get("Uploads", [])
    assert upload in [each["UploadId"] for each in there], "it wasn't aborted"
    # Stores tell the second in which an upload began.
    wait_for("the upload to be older than a second", lambda: time.monotonic() > began + 2.5)
    old = orphans_command(server, "s3://lake/a", "--no-checkpoints", "--older-than", "1s", "--json")
    assert [json.loads(line)["upload_id"] for line in old.stdout.splitlines()] == [upload], f"old enough: {old.stderr}"
    assert old.returncode == 1, "one is left"
    wrong = orphans_command(server, "s3://lake/a", "--no-checkpoints", "--older-than", "a week")
    assert wrong.returncode == 2, "a usage error"
    assert "7d" in wrong.stderr, "which says how to write an age"


@pytest.mark.parametrize("path", ["w/[bold]x[/] :warning:/2", "/w//[bold]x[/] :warning:/1/../2/"])
def test_an_odd_path_is_found_and_shown_as_it_is(server: S3Server, path: str) -> None:
    """Brackets and colons aren't markup, and the path is read as Flink reads that of the DDL."""
    key = f"w/[bold]x[/] :warning:/2/part-{UUID}-0-0"
    create_upload(server, key)

    listed = orphans_command(server, f"s3://lake/{path}")
    assert listed.returncode == 1, f"one is left: {listed.stderr}"
    # The column of keys is narrow and folds.
    assert "w/[bold]x[/]" in listed.stdout, "somebody may look for that very key"
    assert ":warning:/2" in listed.stdout
    aborted = orphans_command(server, f"s3://lake/{path}", "--no-checkpoints", "--abort")
    assert "1 orphaned upload aborted" in aborted.stdout, f"what was aborted is told: {aborted.stderr}"
    assert aborted.returncode == 0, "nothing is left"


def test_a_mistyped_checkpoint_stops_everything(server: S3Server, tmp_path: Path) -> None:
    """A folder without a checkpoint must not pass for a checkpoint without entries: its uploads would be aborted (I6)."""
    upload = create_upload(server, f"u/part-{UUID}-0-0")
    done = orphans_command(server, "s3://lake/u", "--checkpoints", str(tmp_path / "chk-8"), "--abort")
    assert done.returncode == 3, "refused"
    assert "_metadata" in done.stderr, "the message says what was looked for"
    assert str(tmp_path / "chk-8") in done.stderr, "and where"
    uploads = server.client().list_multipart_uploads(Bucket="lake", Prefix="u/")["Uploads"]
    assert [each["UploadId"] for each in uploads] == [upload], "nothing was aborted"


def test_abort_without_checkpoints_must_be_said_explicitly(server: S3Server) -> None:
    """Forgetting --checkpoints must not cost a savepoint its files; and no secret is echoed."""
    done = orphans_command(server, "s3://lake/v", "--abort")
    assert done.returncode == 2, "a usage error"
    assert "--no-checkpoints" in done.stderr, "the way out is named"
    assert server.secret_key not in done.stderr + done.stdout, "no secret in messages (I12)"


def test_a_missing_bucket_is_a_configuration_error(server: S3Server) -> None:
    """The message names the bucket."""
    done = orphans_command(server, "s3://no-such-bucket/t")
    assert done.returncode == 2, f"exit code: {done.stderr}"
    assert "no-such-bucket" in done.stderr, "the bucket is named"
