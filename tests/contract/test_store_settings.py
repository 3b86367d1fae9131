"""What Flink's configuration says of access, encryption and placement reaches the wire, and the right calls only."""

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from partition_bridge.entries import Part
from partition_bridge.errors import Configuration
from partition_bridge.store.s3 import S3Store, open_store
from partition_bridge.store_settings import ObjectSettings, Role, StoreSettings
from tests.support.aws import Aws, Recorder

BUCKET = "lake"
KEY = base64.b64encode(b"k" * 32).decode()
BEGIN = {"CreateMultipartUpload", "PutObject"}
EVERY = {*BEGIN, "UploadPart", "CompleteMultipartUpload", "HeadObject", "GetObject"}


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """One server for all settings."""
    with Aws(tmp_path_factory.mktemp("aws")) as running:
        running.create_bucket(BUCKET)
        yield running


@pytest.fixture
def wire(aws: Aws) -> Iterator[Recorder]:
    """What goes to the server and the headers that went."""
    with Recorder(aws.endpoint) as recorder:
        yield recorder


def settings(wire: Recorder, **changes: Any) -> StoreSettings:
    """Settings with configured keys."""
    given = StoreSettings(wire.endpoint, "us-east-1", True, "AKCONFIGURED", "secret", None, {})
    return replace(given, **changes)


def calls(wire: Recorder, store: S3Store) -> dict[str, dict[str, str]]:
    """Every call that a file can cause, and the headers of each."""
    headers: dict[str, dict[str, str]] = {}

    def call(name: str, what: Callable[[], Any]) -> Any:
        wire.requests.clear()
        answer = what()
        headers[name] = wire.requests[-1]
        return answer

    upload = call("CreateMultipartUpload", lambda: store.create(BUCKET, "large", {}))
    stored = call("UploadPart", lambda: store.upload_part(BUCKET, "large", upload, 1, b"part"))
    part = Part(1, 4, stored.etag)
    call("CompleteMultipartUpload", lambda: store.complete(BUCKET, "large", upload, [part], only_if_absent=False))
    call("PutObject", lambda: store.put(BUCKET, "small", b"put", {}, only_if_absent=False))
    call("HeadObject", lambda: store.head(BUCKET, "large"))
    call("GetObject", lambda: store.get(BUCKET, "small"))
    return headers


@pytest.mark.parametrize(
    ("objects", "header", "value", "where"),
    [
        (ObjectSettings(encryption="AES256"), "x-amz-server-side-encryption", "AES256", BEGIN),
        (ObjectSettings(encryption="aws:kms"), "x-amz-server-side-encryption", "aws:kms", BEGIN),
        (
            ObjectSettings(encryption="aws:kms", encryption_key="alias/lake"),
            "x-amz-server-side-encryption-aws-kms-key-id",
            "alias/lake",
            BEGIN,
        ),
        (
            ObjectSettings(encryption="aws:kms", encryption_context="team=a, job=b"),
            "x-amz-server-side-encryption-context",
            base64.b64encode(json.dumps({"team": "a", "job": "b"}).encode()).decode(),
            BEGIN,
        ),
        (
            ObjectSettings(encryption="c", encryption_key=KEY),
            "x-amz-server-side-encryption-customer-key",
            KEY,
            {*BEGIN, "UploadPart", "HeadObject", "GetObject"},
        ),
        (ObjectSettings(acl="bucket-owner-full-control"), "x-amz-acl", "bucket-owner-full-control", BEGIN),
        (ObjectSettings(storage_class="STANDARD_IA"), "x-amz-storage-class", "STANDARD_IA", BEGIN),
        (ObjectSettings(requester_pays=True), "x-amz-request-payer", "requester", EVERY),
    ],
    ids=lambda given: str(given) if isinstance(given, str) else "",
)
def test_what_an_object_is_to_be_is_said_where_s3_asks_for_it(
    wire: Recorder, objects: ObjectSettings, header: str, value: str, where: set[str]
) -> None:
    """Each setting is in the headers of those calls that take it and of no other, for large files and for small ones."""
    sent = calls(wire, open_store(settings(wire, objects=objects), "off", 2))
    assert {name: headers.get(header) for name, headers in sent.items()} == {
        name: value if name in where else None for name in EVERY
    }


def test_the_store_keeps_it(aws: Aws, wire: Recorder) -> None:
    """An object is encrypted and placed as configured, whichever way it came."""
    objects = ObjectSettings(encryption="aws:kms", encryption_key="alias/lake", storage_class="INTELLIGENT_TIERING")
    calls(wire, open_store(settings(wire, objects=objects), "off", 2))
    for key in ("large", "small"):
        there = aws.client().head_object(Bucket=BUCKET, Key=key)
        assert (there["ServerSideEncryption"], there["StorageClass"]) == ("aws:kms", "INTELLIGENT_TIERING"), key


@pytest.mark.parametrize(
    ("objects", "option"),
    [
        (ObjectSettings(encryption="c"), r"fs\.s3a\.encryption\.key"),
        (ObjectSettings(encryption="c", encryption_key="c2hvcnQ="), r"fs\.s3a\.encryption\.key"),
        (ObjectSettings(encryption="aws:kms", encryption_context="team"), r"fs\.s3a\.encryption\.context"),
    ],
    ids=["no-key", "short-key", "half-a-pair"],
)
def test_a_key_or_context_that_s3_would_refuse_is_refused_at_the_start(objects: ObjectSettings, option: str) -> None:
    """The option is named, its value isn't: it's a secret."""
    with pytest.raises(Configuration, match=option) as refused:
        open_store(StoreSettings("http://127.0.0.1:9", None, True, "ak", "sk", None, {}, objects=objects), "off", 1)
    assert "c2hvcnQ=" not in str(refused.value)


def test_anonymous_requests_are_not_signed(wire: Recorder) -> None:
    """For public buckets: no credentials are looked for, and no signature is sent."""
    store = open_store(settings(wire, access_key=None, secret_key=None, providers=["anonymous"]), "off", 1)
    store.head(BUCKET, "nothing")
    assert "authorization" not in wire.requests[-1]


def signed_by(wire: Recorder, given: StoreSettings) -> str:
    """The access key that a request is signed with."""
    open_store(given, "off", 1).head(BUCKET, "nothing")
    return wire.requests[-1]["authorization"].partition("Credential=")[2].partition("/")[0]


@pytest.mark.parametrize(
    ("providers", "expected"),
    [
        (None, "AKCONFIGURED"),
        (["configured", "env"], "AKCONFIGURED"),
        (["env", "configured"], "AKENVIRONMENT"),
        (["shared-credentials-file"], "AKPROFILE"),
        (["env"], "AKENVIRONMENT"),
        (["default"], "AKENVIRONMENT"),
    ],
    ids=str,
)
def test_credentials_come_from_the_named_sources_in_their_order(
    wire: Recorder, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, providers: list[str] | None, expected: str
) -> None:
    """Each source offers a key of its own: the first that is named wins, and one that isn't named doesn't count."""
    profile = tmp_path / "credentials"
    profile.write_text("[default]\naws_access_key_id = AKPROFILE\naws_secret_access_key = secret\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(profile))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKENVIRONMENT")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    assert signed_by(wire, settings(wire, providers=providers)) == expected


def test_sources_without_credentials_are_named(wire: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is taken from where the configuration doesn't look; the message says where it does."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(Configuration, match="no credentials in env, the only sources"):
        open_store(settings(wire, providers=["env"]), "off", 1)


def test_a_role_is_assumed_with_all_that_is_configured(wire: Recorder) -> None:
    """STS gets ARN, external id, session name and duration, signed with the configured keys; S3 sees the role's keys."""
    role = Role("arn:aws:iam::123456789012:role/lake", "outside", "nightly", 900, None, wire.endpoint, "eu-west-1")
    assert signed_by(wire, settings(wire, role=role)).startswith("ASIA"), "a temporary key of STS"
    (assumed,) = [each for each in wire.requests if "/sts/" in each.get("authorization", "")]
    assert "Credential=AKCONFIGURED/" in assumed["authorization"]
    assert "/eu-west-1/sts/" in assumed["authorization"], "STS's own region"


def test_requests_go_through_the_proxy_with_its_password() -> None:
    """The proxy is asked for the store's address, with user and password as configured."""
    with Recorder(None) as proxy:
        address = proxy.endpoint.replace("http://", "http://wri%40ter:pass%3Aword@")
        store = open_store(settings(proxy, endpoint="http://store.invalid", proxy=address), "off", 1)
        store.put(BUCKET, "proxied", b"x", {}, only_if_absent=False)
    (sent,) = proxy.requests
    assert sent["host"] == "store.invalid"
    assert base64.b64decode(sent["proxy-authorization"].removeprefix("Basic ")) == b"wri@ter:pass:word"
