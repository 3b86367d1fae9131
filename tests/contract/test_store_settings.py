"""What Flink's configuration says of access, encryption and placement reaches the wire, and the right calls only."""

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from partition_bridge.entries import Part
from partition_bridge.errors import BridgeError, Configuration, Retry
from partition_bridge.store.s3 import S3Store, open_store
from partition_bridge.store_settings import ObjectSettings, Role, StoreKeys, StoreSettings
from tests.contract.conftest import BUCKET
from tests.support.aws import Aws, InstanceMetadata, Recorder, Tunnels

KEY = base64.b64encode(b"k" * 32).decode()
BEGIN = {"CreateMultipartUpload", "PutObject"}
EVERY = {*BEGIN, "UploadPart", "ListParts", "CompleteMultipartUpload", "HeadObject", "GetObject"}


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
    call("ListParts", lambda: store.list_parts(BUCKET, "large", upload))
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
            EVERY,
        ),
        (
            ObjectSettings(encryption="c", encryption_key=KEY),
            "x-amz-server-side-encryption-customer-key-md5",
            base64.b64encode(hashlib.md5(b"k" * 32, usedforsecurity=False).digest()).decode(),
            EVERY,
        ),
        (ObjectSettings(), "content-type", "application/octet-stream", BEGIN),
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
    return wire.signers()[-1]


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
    policy = '{"Version": "2012-10-17", "Statement": []}'
    role = Role("arn:aws:iam::123456789012:role/lake", "outside", "nightly", 900, policy, wire.endpoint, "eu-west-1")
    assert signed_by(wire, settings(wire, role=role)).startswith("ASIA"), "a temporary key of STS"
    (assumed,) = [each for each in wire.requests if "/sts/" in each.get("authorization", "")]
    assert "Credential=AKCONFIGURED/" in assumed["authorization"]
    assert "/eu-west-1/sts/" in assumed["authorization"], "STS's own region"
    asked = parse_qs(wire.bodies[wire.requests.index(assumed)].decode())
    assert {name: asked[name] for name in ("RoleArn", "ExternalId", "RoleSessionName", "DurationSeconds", "Policy")} == {
        "RoleArn": [role.arn],
        "ExternalId": ["outside"],
        "RoleSessionName": ["nightly"],
        "DurationSeconds": ["900"],
        "Policy": [policy],
    }


def test_requests_go_through_the_proxy_with_its_password() -> None:
    """The proxy is asked for the store's address, with user and password as configured."""
    with Recorder(None) as proxy:
        address = proxy.endpoint.replace("http://", "http://wri%40ter:pass%3Aword@")
        store = open_store(settings(proxy, endpoint="http://store.invalid", proxy=address), "off", 1)
        store.put(BUCKET, "proxied", b"x", {}, only_if_absent=False)
    (sent,) = proxy.requests
    assert sent["host"] == "store.invalid"
    assert base64.b64decode(sent["proxy-authorization"].removeprefix("Basic ")) == b"wri@ter:pass:word"


def test_a_configured_session_token_goes_along(wire: Recorder) -> None:
    """Temporary keys are worth nothing without it."""
    signed_by(wire, settings(wire, session_token="of-the-session"))
    assert wire.requests[-1]["x-amz-security-token"] == "of-the-session"


def test_a_web_identity_is_changed_for_a_role(wire: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The token's file and the role are the environment's; STS, asked without a signature, gives the keys."""
    token = tmp_path / "token"
    token.write_text("ey.web.identity")
    environment = {
        "AWS_WEB_IDENTITY_TOKEN_FILE": str(token),
        "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/lake",
        "AWS_ENDPOINT_URL_STS": wire.endpoint,
    }
    for name in environment:
        monkeypatch.setenv(name, "", prepend=None)  # taken back at the end, unlike what the client sets
    given = settings(wire, access_key=None, secret_key=None, aws_environment=environment)
    given = replace(given, providers=["assume-role-with-web-identity"])
    assert signed_by(wire, given).startswith("ASIA"), "a temporary key of STS"
    asked = next(body for body in wire.bodies if b"AssumeRoleWithWebIdentity" in body)
    assert parse_qs(asked.decode())["WebIdentityToken"] == ["ey.web.identity"]


def test_the_instance_gives_keys_and_region(wire: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    """`iam-role` asks the instance's metadata; pinned to its region, requests are signed for that."""
    with InstanceMetadata("eu-north-1b", "ASIAINSTANCE") as metadata:
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", metadata.endpoint)
        given = settings(wire, access_key=None, secret_key=None, providers=["iam-role"], region_of_instance=True)
        assert signed_by(wire, given) == "ASIAINSTANCE"
    assert "/eu-north-1/s3/" in wire.requests[-1]["authorization"], "and not the configured us-east-1"


def test_an_access_point_has_the_buckets_place(wire: Recorder) -> None:
    """Every call goes to the access point's own host, at a configured endpoint as on AWS, and errors still name the bucket."""
    arn = "arn:aws:s3:eu-west-1:123456789012:accesspoint/lake-writer"
    given = settings(wire, access_point=arn, path_style=False, region="eu-west-1")
    with Recorder(None) as proxy:
        store = open_store(replace(given, endpoint="http://store.invalid", proxy=proxy.endpoint), "off", 1)
        store.check_bucket(BUCKET)
        store.put(BUCKET, "one", b"x", {}, only_if_absent=False)
    assert {sent["host"] for sent in proxy.requests} == {"lake-writer-123456789012.store.invalid"}

    with Tunnels() as tunnels:
        store = open_store(replace(given, endpoint=None, proxy=tunnels.endpoint), "off", 1)
        with pytest.raises(BridgeError, match="s3://lake/one"):
            store.head(BUCKET, "one")
    assert set(tunnels.asked) == {"lake-writer-123456789012.s3-accesspoint.eu-west-1.amazonaws.com:443"}


def test_a_signature_of_version_2(wire: Recorder) -> None:
    """For old stores that know no other."""
    open_store(settings(wire, signature="s3"), "off", 1).put(BUCKET, "old", b"x", {}, only_if_absent=False)
    assert wire.requests[-1]["authorization"].startswith("AWS AKCONFIGURED:")


def test_keys_for_a_while_are_replaced_before_the_store_refuses_them(wire: Recorder) -> None:
    """When their time is over the shim is asked once, and no request is signed with the old ones."""
    asked: list[str] = []

    def fresh() -> StoreKeys:
        asked.append(f"AK{len(asked) + 1}")
        return StoreKeys(asked[-1], "secret", "token", 3_600_000)

    store = open_store(settings(wire, access_key="AK0", ask_again_ms=0), "off", 1, configured=fresh)
    for _ in range(3):
        store.put(BUCKET, "one", b"x", {}, only_if_absent=False)
    assert asked == ["AK1"], "asked in time, and no more than that"
    assert set(wire.signers()) == {"AK1"}


def test_a_shim_that_can_not_answer_fails_the_request(wire: Recorder) -> None:
    """Requests are never signed with keys whose time is over; the error says what failed."""

    def broken() -> StoreKeys:
        raise Retry("control call credentials to the task failed: gone")

    store = open_store(settings(wire, ask_again_ms=0), "off", 1, configured=broken)
    with pytest.raises(Retry, match="control call credentials"):
        store.put(BUCKET, "one", b"x", {}, only_if_absent=False)
    assert wire.requests == [], "nothing was sent"


def test_everything_goes_over_tls(aws: Aws, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store behind HTTPS gets the same headers, SSE-C's key included; one whose certificate nobody vouches for gets nothing."""
    objects = ObjectSettings(encryption="c", encryption_key=KEY, storage_class="STANDARD_IA", requester_pays=True)
    with Recorder(aws.endpoint) as wire:
        authority = wire.under_tls(tmp_path)
        given = settings(wire, objects=objects, session_token="of-the-session")
        with pytest.raises(BridgeError, match="CERTIFICATE_VERIFY_FAILED"):
            open_store(given, "off", 2).head(BUCKET, "nothing")
        assert wire.requests == [], "not even a signature"

        monkeypatch.setenv("AWS_CA_BUNDLE", str(authority))
        sent = calls(wire, open_store(given, "off", 2))
    assert {headers["x-amz-server-side-encryption-customer-key"] for headers in sent.values()} == {KEY}
    assert {headers["x-amz-security-token"] for headers in sent.values()} == {"of-the-session"}
    assert sent["CreateMultipartUpload"]["x-amz-storage-class"] == "STANDARD_IA"
