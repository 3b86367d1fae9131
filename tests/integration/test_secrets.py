"""Secrets stay where they belong (I12): what a writer shows of itself, says and leaves has none of the keys that it was given."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JError

from tests.support.expiry import Door
from tests.support.peer import TOKEN, Peer, WriterChild
from tests.support.process import shown
from tests.support.rows import random_rows
from tests.support.servers import S3Server, SeaweedFS
from tests.support.writers import start_message

SESSION = "PLANTED-SESSION-TOKEN-4f1c"
FRESH = "PLANTED-FRESH-SECRET-77aa"


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    """The JVM with the gateway."""
    peer = Peer()
    yield peer
    peer.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A store whose keys are secrets of this run."""
    with SeaweedFS(tmp_path_factory.mktemp("store")) as server:
        server.create_bucket("lake")
        yield server


def test_a_working_writer_shows_no_secret(peer: Peer, server: S3Server, tmp_path: Path) -> None:
    """Neither argv nor environment, nor state, control calls, standard error or the object's metadata have a key or the token."""
    secrets = (server.secret_key, TOKEN)
    with WriterChild(peer, server, tmp_path / "err", inline_threshold=0) as child:
        seen = [shown(child.process.pid)]
        child.shim.schema()
        child.shim.open(0, "shown/part-0", "0a" * 16)
        child.shim.rows(0, random_rows(100))
        child.shim.close_file(0)
        child.shim.barrier(1, [0])
        seen.append(child.shim.pull(0, 1).decode("latin-1"))
        child.shim.commit(1)
        child.shim.call("committed", 1)
        seen += [str(child.heard.calls), child.stderr(), shown(child.process.pid)]
    seen.append(str(server.client().head_object(Bucket="lake", Key="shown/part-0")["Metadata"]))
    for secret in secrets:
        assert not any(secret in text for text in seen), "a secret got out"
        assert server.access_key not in seen[0], "the access key isn't shown either"


@pytest.mark.parametrize("given", ["configured", "environment"])
def test_a_failing_writer_tells_no_secret(peer: Peer, server: S3Server, tmp_path: Path, given: str) -> None:
    """Refused keys, with a session token or from the TaskManager's environment: the message says what to do and shows none."""
    keys = {"access_key": "AKPLANTED", "secret_key": "PLANTED-SECRET-9b2e", "session_token": SESSION}
    environment = {
        "AWS_ACCESS_KEY_ID": "AKPLANTED",
        "AWS_SECRET_ACCESS_KEY": "PLANTED-SECRET-9b2e",
        "AWS_SESSION_TOKEN": SESSION,
    }
    store = start_message()["store"] | {"endpoint": server.endpoint}
    store |= keys if given == "configured" else dict.fromkeys(keys) | {"aws_environment": environment}
    with WriterChild(peer, None, tmp_path / "err", store=store) as child:
        seen = shown(child.process.pid)
        kind, message = child.shim.call("failed")
        assert child.process.wait(60) == 1
        for secret in ("PLANTED-SECRET-9b2e", SESSION, TOKEN):
            assert secret not in seen + kind + message + child.stderr(), "a secret got out"


def test_keys_that_came_later_are_not_told_either(peer: Peer, server: S3Server, tmp_path: Path) -> None:
    """The fresh secret of a refresh is as secret as the first: the store refuses it, and the error shows neither."""
    peer.configure_keys(access_key="AKFRESH", secret_key=FRESH, session_token=None)
    with Door(server.endpoint, lambda headers: "Credential=EXPIRED" in headers.get("Authorization", "")) as door:
        store = start_message()["store"] | {"endpoint": door.endpoint, "access_key": "EXPIRED", "secret_key": "PLANTED-OLD-1d"}
        with WriterChild(peer, None, tmp_path / "err", store=store) as child:
            kind, message = child.shim.call("failed")
            assert child.process.wait(60) == 1
            assert kind == "configuration", message
            for secret in (FRESH, "PLANTED-OLD-1d"):
                assert secret not in message + child.stderr(), "a secret got out"


def test_the_gateway_refuses_whoever_has_no_token(peer: Peer) -> None:
    """A process of another user on the same machine can connect to the port, and gets nothing: no call, no keys."""
    for token in (None, "00" * 32, TOKEN[:-1]):
        stranger = JavaGateway(gateway_parameters=GatewayParameters(address="127.0.0.1", port=peer.port, auth_token=token))
        with pytest.raises((Py4JError, OSError)):
            stranger.entry_point.credentials()
        stranger.close()
    assert not any(call[0] == "credentials" and call[1:] for call in peer.heard.calls), "nothing was answered"
