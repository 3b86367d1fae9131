"""The command `partition-bridge doctor s3://…`, on real stores."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.support.commands import run
from tests.support.flink import s3_config
from tests.support.installations import Installation
from tests.support.servers import SERVERS, S3Server, Versitygw


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A store that is up in no time, with the table's bucket."""
    with Versitygw(tmp_path_factory.mktemp("store")) as server:
        server.create_bucket("lake")
        yield server


def examined(folder: Path, config: Mapping[str, object], table: str = "s3://lake/t") -> tuple[int, dict[str, dict[str, str]]]:
    """The exit code, and each finding by its check."""
    flink = Installation(folder / "flink", config)
    told = run("doctor", "--json", "--flink-home", str(flink.home), table)
    return told.returncode, {each["check"]: each for each in map(json.loads, told.stdout.splitlines())}


@pytest.mark.parametrize("kind", [pytest.param(each, marks=[pytest.mark.thorough] * (each == "seaweedfs")) for each in SERVERS])
def test_a_healthy_store_gives_no_warning_and_keeps_nothing(kind: str, tmp_path: Path) -> None:
    """On both servers nothing has to be mended, and what was tried there is gone again."""
    with SERVERS[kind](tmp_path / "store") as server:
        server.create_bucket("lake")
        code, found = examined(tmp_path, s3_config(server))
        assert code == 0, found
        assert [each for each in found.values() if each["state"] in ("warn", "fail")] == [], "a warning on a healthy set-up"
        for each in ("endpoint", "credentials", "clock", "bucket", "list", "multipart", "delete", "put", "conditional writes"):
            assert found[each]["state"] == "ok", found[each]
        client = server.client()
        assert client.list_objects_v2(Bucket="lake").get("KeyCount", 0) == 0, "no object of the doctor's is left"
        assert client.list_multipart_uploads(Bucket="lake").get("Uploads", []) == [], "no upload either"


@pytest.mark.thorough
@pytest.mark.parametrize(("secret", "check"), [("wrong", "credentials"), ("", "store settings")])
def test_a_wrong_secret_is_told_and_not_shown(store: S3Server, tmp_path: Path, secret: str, check: str) -> None:
    """One failure, of the right check, with a remedy; and no secret is shown (I12). Other faults: test_misconfigurations.py."""
    code, found = examined(tmp_path, {**s3_config(store), "s3.secret-key": secret})
    assert code == 1, found
    assert found[check]["state"] == "fail", found
    assert found[check]["remedy"], "what to do about it"
    assert store.secret_key not in json.dumps(found), "no secret in messages"
