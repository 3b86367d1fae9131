"""The command `partition-bridge inserts`, against a real store."""

import dataclasses
import itertools
import json
from collections.abc import Iterator

import pytest

from partition_bridge import insert_list
from partition_bridge.entries import Entry, Part
from partition_bridge.insert_list import InsertList
from tests.support.commands import partition_bridge
from tests.support.golden_entries import GOLDEN
from tests.support.servers import S3Server, SeaweedFS

ID = "70627269-1a2b-8c3d-9e4f-0123456789ab"
_numbers = itertools.count()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A store for all tests here."""
    with SeaweedFS(tmp_path_factory.mktemp("store")) as server:
        server.create_bucket("lake")
        yield server


@pytest.fixture
def table(server: S3Server) -> str:
    """A table's name, with an insert that has died between its two files, beside a file of another one."""
    name, client = f"t{next(_numbers)}", server.client()
    visible, open_ = (_entry(name, number) for number in ("0", "1"))
    client.put_object(Bucket="lake", Key=visible.key, Body=visible.tail, Metadata={"pb-token": visible.token})
    upload = client.create_multipart_upload(Bucket="lake", Key=open_.key)["UploadId"]
    open_ = dataclasses.replace(open_, tail=b"", upload_id=upload, parts=(Part(1, open_.size, '"0"'),))
    plan = insert_list.encode(InsertList((), (visible, open_)))
    client.put_object(Bucket="lake", Key=f"{name}/.bridge-insert-{ID}", Body=plan)
    client.put_object(Bucket="lake", Key=f"{name}/part-other", Body=b"other")
    return name


def _entry(table: str, number: str) -> Entry:
    key = f"{table}/part-{ID}-task-0-file-{number}-00000000"
    return dataclasses.replace(
        GOLDEN["v1-inline"], bucket="lake", key=key, partition="", tail=b"rows", size=4, token=f"0{number}" * 16
    )


def keys(server: S3Server, table: str) -> list[str]:
    """All visible keys of the table."""
    found = server.client().list_objects_v2(Bucket="lake", Prefix=f"{table}/").get("Contents", [])
    return [str(each["Key"]) for each in found]


def test_an_insert_that_died_is_listed_and_undone(server: S3Server, table: str) -> None:
    """It's listed with what is visible of it and exit code 1; undone, only what isn't its own is left, and exit code 0."""
    listed = partition_bridge(server, "inserts", f"s3://lake/{table}")
    assert listed.returncode == 1, listed.stderr
    assert f"{ID}  commit began 20" in listed.stdout
    assert "1 of 2 files are visible" in listed.stdout
    assert "1 unfinished insert left; undo one with --undo ID" in listed.stdout
    facts = json.loads(partition_bridge(server, "inserts", f"s3://lake/{table}", "--json").stdout)
    assert (facts["id"], facts["files"], facts["visible"], facts["undone"]) == (ID, 2, 1, False)
    assert len(keys(server, table)) == 3, "listing changes nothing"

    undone = partition_bridge(server, "inserts", f"s3://lake/{table}", "--undo", ID, "--job-stopped")
    assert undone.returncode == 0, undone.stderr
    assert f"{ID}  undone: 1 of 2 files were visible" in undone.stdout
    assert keys(server, table) == [f"{table}/part-other"], "the other insert's file stays"
    assert "Uploads" not in server.client().list_multipart_uploads(Bucket="lake", Prefix=f"{table}/"), "no upload is left"
    assert partition_bridge(server, "inserts", f"s3://lake/{table}").returncode == 0, "nothing is left"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [(("--undo", ID), "--job-stopped"), (("--undo", "70627269-none", "--job-stopped"), "there is no unfinished insert")],
)
def test_undoing_asks_for_a_job_that_has_stopped_and_an_insert_that_is_there(
    server: S3Server, table: str, arguments: tuple[str, ...], word: str
) -> None:
    """Wrong usage is told with what to do, and nothing is removed."""
    refused = partition_bridge(server, "inserts", f"s3://lake/{table}", *arguments)
    assert refused.returncode == 2
    assert word in " ".join(refused.stderr.replace("│", " ").split())
    assert len(keys(server, table)) == 3
