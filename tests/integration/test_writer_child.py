"""A writer process as the shim starts it, with a real py4j gateway and a real S3 server."""

import io
import signal
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from partition_bridge import entries
from partition_bridge.store.protocol import Store
from partition_bridge.store.s3 import open_store
from partition_bridge.store_settings import StoreSettings
from tests.support.expiry import Door
from tests.support.peer import Peer, WriterChild
from tests.support.rows import random_rows
from tests.support.servers import S3Server, SeaweedFS
from tests.support.writers import ORDINARY, start_message

SMALL_GROUPS = {"parquet.block.size": str(4 << 20)}


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    """One JVM with the gateway for all tests here."""
    peer = Peer()
    yield peer
    peer.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """One S3 server for all tests here; each test has keys of its own."""
    with SeaweedFS(tmp_path_factory.mktemp("store")) as server:
        server.create_bucket("lake")
        yield server


@pytest.fixture
def store(server: S3Server) -> Store:
    """The test's own look at the server."""
    settings = StoreSettings(server.endpoint, server.region, True, server.access_key, server.secret_key, None, {})
    return open_store(settings, "off", connections=4)


def ids(server: S3Server, key: str) -> list[int]:
    """Row ids of the Parquet object under `key`."""
    body = server.client().get_object(Bucket="lake", Key=key)["Body"].read()
    return pq.read_table(io.BytesIO(body)).column("id").to_pylist()


def send_large(child: WriterChild, key: str, token: str = "0a" * 16) -> None:
    """Rows of a file of several parts that is still open."""
    child.shim.schema()
    child.shim.open(0, key, token)
    for batch in range(14):
        child.shim.rows(0, random_rows(1000, first=batch * 1000))


def write_large(child: WriterChild, key: str, token: str = "0a" * 16, checkpoint: int = 1) -> bytes:
    """Phases up to a barrier: the entry of a file of several parts that is pending."""
    shim = child.shim
    send_large(child, key, token)
    shim.close_file(0)
    shim.barrier(checkpoint, [0])
    entry = shim.pull(0, checkpoint)
    shim.call("snapshot_ready", checkpoint)
    return entry


def test_rows_become_an_object_at_commit(peer: Peer, server: S3Server, tmp_path: Path) -> None:
    """Start, rows, barrier, commit, shutdown: one object with each row once, and exit code 0."""
    with WriterChild(peer, server, tmp_path / "err", format_options=SMALL_GROUPS) as child:
        write_large(child, "happy/part-0", checkpoint=(1 << 40))
        assert child.shim.call("hello")[:2] == (1, child.process.pid)
        child.shim.commit(1 << 40)
        _, summary = child.shim.call("committed", 1 << 40)
        assert summary["files"][0]["rows"] == 14_000
        assert ids(server, "happy/part-0") == list(range(14_000)), "each row is there once, in order"
        child.shim.shutdown()
        assert child.process.wait(60) == 0, child.stderr()


def test_killed_writer_leaves_a_file_that_the_next_one_completes(
    peer: Peer, server: S3Server, store: Store, tmp_path: Path
) -> None:
    """Kill -9 after the barrier: nothing is visible; the restored entry completes; restored again it is found to be there."""
    key = "killed/part-0"
    # Phase 1: the writer dies between barrier and commit.
    with WriterChild(peer, server, tmp_path / "err1", format_options=SMALL_GROUPS) as child:
        entry = write_large(child, key)
        child.process.send_signal(signal.SIGKILL)
        child.process.wait()
    assert store.head("lake", key) is None, "no death publishes anything (I2)"
    # Phase 2: the next attempt completes it; a third finds it completed.
    for attempt, outcome in ((2, "completed"), (3, "already")):
        with WriterChild(peer, server, tmp_path / f"err{attempt}") as child:
            child.shim.restore([entry])
            (summary,) = child.shim.call("restored")
            assert [file["outcome"] for file in summary["files"]] == [outcome]
            assert ids(server, key) == list(range(14_000)), "each row is there once"


def test_missing_bucket_is_a_configuration_error(peer: Peer, server: S3Server, tmp_path: Path) -> None:
    """A bucket that isn't there fails the start with a message that says what to do, and no secret."""
    with WriterChild(peer, server, tmp_path / "err", bucket="absent") as child:
        kind, message = child.shim.call("failed")
        assert kind == "configuration"
        assert "bucket absent" in message
        assert "create it" in message
        assert child.process.wait(60) == 1, "the exit code says it too"
        assert server.secret_key not in child.stderr() + message


def test_keys_that_expire_are_asked_for_over_the_control_plane(
    peer: Peer, server: S3Server, store: Store, tmp_path: Path
) -> None:
    """The configured token expires while a file is open, and again before a restore: the writer asks the JVM, and loses nothing."""
    key = "expired/part-0"
    good = {"access_key": server.access_key, "secret_key": server.secret_key, "session_token": None}
    is_expired = lambda headers: "Credential=EXPIRED" in headers.get("Authorization", "")  # noqa: E731
    with Door(server.endpoint, is_expired) as door:
        given = start_message()["store"] | {"endpoint": door.endpoint, "access_key": "EXPIRED", "secret_key": "old-secret"}
        peer.configure_keys(**good)
        # Phase 1: expired from the start; every part and the entry come all the same.
        with WriterChild(peer, None, tmp_path / "err1", store=given, format_options=SMALL_GROUPS) as child:
            entry = write_large(child, key)
            assert child.shim.call("credentials") == (), "the JVM was asked"
            child.process.kill()
        # Phase 2: so is the restoring writer's configuration.
        refused = len(door.refused)
        with WriterChild(peer, None, tmp_path / "err2", store=given) as child:
            child.shim.restore([entry])
            (summary,) = child.shim.call("restored")
            assert [file["outcome"] for file in summary["files"]] == ["completed"]
            assert len(door.refused) > refused, "its keys had expired, too"
    assert ids(server, key) == list(range(14_000)), "each row is there once"
    assert list(store.list_uploads("lake", key)) == [], "no upload is left"
    assert server.secret_key not in (tmp_path / "err1").read_text() + (tmp_path / "err2").read_text(), "I12"


def test_end_of_standard_input_ends_the_writer_without_a_trace(
    peer: Peer, server: S3Server, store: Store, tmp_path: Path
) -> None:
    """When the JVM is gone the writer exits at once; the pending file stays pending (I2, I6)."""
    with WriterChild(peer, server, tmp_path / "err", format_options=SMALL_GROUPS) as child:
        entry = entries.decode(write_large(child, "orphaned/part-0"))
        assert child.process.stdin is not None
        child.process.stdin.close()
        assert child.process.wait(60) == 1
        assert store.head("lake", entry.key) is None, "nothing is published on the way out"
        assert entry.upload_id is not None
        assert len(store.list_parts("lake", entry.key, entry.upload_id)) == len(entry.parts), "the upload is still there"


@pytest.mark.parametrize("point", ["commit-before-complete", "commit-after-complete", "after-create", "before-part"])
def test_kill_at_a_point_leaves_what_the_next_attempt_needs(
    peer: Peer, server: S3Server, store: Store, tmp_path: Path, point: str
) -> None:
    """Kill -9 exactly at a point: before a snapshot nothing is visible, after it the entry makes the object visible once."""
    key = f"held/{point}/part-0"
    (tmp_path / f"hold.{point}").touch()
    with WriterChild(peer, server, tmp_path / "err1", format_options=SMALL_GROUPS, fault_points=str(tmp_path)) as child:
        if point.startswith("commit"):
            entry = write_large(child, key)
            child.shim.commit(1)
        else:
            send_large(child, key)
        while f'"{point}"' not in (log.read_text() if (log := tmp_path / "reached.jsonl").exists() else ""):
            assert child.process.poll() is None, child.stderr()
        child.process.kill()
        child.process.wait()
    assert (store.head("lake", key) is not None) == (point == "commit-after-complete"), "visible only after Complete (I2)"
    if point.startswith("commit"):
        with WriterChild(peer, server, tmp_path / "err2") as child:
            child.shim.restore([entry])
            child.shim.call("restored")
            assert ids(server, key) == list(range(14_000)), "each row is there once (I3)"


def test_terminated_writer_publishes_and_aborts_nothing(peer: Peer, server: S3Server, store: Store, tmp_path: Path) -> None:
    """SIGTERM between barrier and commit ends the process; upload and entry stay for the restart."""
    with WriterChild(peer, server, tmp_path / "err", format_options=SMALL_GROUPS) as child:
        entry = entries.decode(write_large(child, "terminated/part-0"))
        child.process.terminate()
        assert child.process.wait(60) == 128 + signal.SIGTERM
    assert store.head("lake", entry.key) is None
    assert entry.upload_id is not None
    assert store.list_parts("lake", entry.key, entry.upload_id), "the upload is still there"


def test_wrong_key_is_a_configuration_error_without_the_key(peer: Peer, server: S3Server, tmp_path: Path) -> None:
    """Credentials that the store refuses fail the start; the message says which options to look at."""
    wrong = {"endpoint": server.endpoint, "region": None, "path_style": True, "access_key": "nobody", "secret_key": "hush-hush"}
    store: dict[str, object] = {**ORDINARY, **wrong, "session_token": None, "aws_environment": {}}
    with WriterChild(peer, None, tmp_path / "err", store=store) as child:
        kind, message = child.shim.call("failed")
        assert kind == "configuration"
        assert "s3.access-key" in message
        assert "hush-hush" not in message + child.stderr()
