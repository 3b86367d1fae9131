"""From Flink's configuration to the wire, with Flink's real S3 plugins: what only they know reaches the writer, and is renewed in time."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from partition_bridge.store.s3 import S3Store, open_store
from tests.contract.conftest import BUCKET
from tests.support.aws import Recorder
from tests.support.jars import compiled
from tests.support.probe import StoreProbe, plugin_jars

TOKENS = {
    "hadoop": {
        f"security.delegation.token.provider.s3-hadoop.{key}": "eu-west-3" for key in ("region", "access-key", "secret-key")
    },
    "native": {
        f"security.delegation.token.provider.s3-native.{key}": "eu-west-3" for key in ("region", "access-key", "secret-key")
    },
}
VAULT = """
    package example;

    import {package}.*;
    import java.nio.file.*;

    public class Vault implements {kind} {{
        public {credentials} {call}() {{
            try {{
                String mark = Files.readString(Path.of(System.getenv("VAULT"))).trim();
                return {made};
            }} catch (java.io.IOException e) {{
                throw new java.io.UncheckedIOException(e);
            }}
        }}
{more}
    }}
"""
FIRST = VAULT.format(
    package="com.amazonaws.auth",
    kind="AWSCredentialsProvider",
    credentials="AWSCredentials",
    call="getCredentials",
    made='new BasicSessionCredentials(mark, "secret", "token-of-" + mark)',
    more="public void refresh() {}",
)
SECOND = VAULT.format(
    package="org.apache.flink.fs.s3native.shaded.software.amazon.awssdk.auth.credentials",
    kind="AwsCredentialsProvider",
    credentials="AwsCredentials",
    call="resolveCredentials",
    made='AwsSessionCredentials.builder().accessKeyId(mark).secretAccessKey("secret").sessionToken("token-of-" + mark)'
    ".expirationTime(java.time.Instant.now().plusSeconds(3)).build()",
    more="",
)


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file in which a user's own credential provider looks for the access key."""
    return tmp_path_factory.mktemp("vault") / "key"


@pytest.fixture(scope="module", params=["hadoop", "native"])
def plugin(request: pytest.FixtureRequest) -> str:
    """Which S3 plugin the TaskManager has; its SDK is of the first generation, or of the second and relocated."""
    return str(request.param)


@pytest.fixture(scope="module")
def probe(plugin: str, vault: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreProbe]:
    """A TaskManager's view of its configuration, the user's provider beside the plugin."""
    folder = tmp_path_factory.mktemp(plugin)
    name = f"s3-fs-{plugin}"
    source = folder / "Vault.java"
    source.write_text(FIRST if plugin == "hadoop" else SECOND)
    jar = compiled(folder, "Vault", [source], plugin_jars(name))
    with StoreProbe(folder, name, [jar], {"VAULT": str(vault)}) as running:
        yield running


def signed(wire: Recorder, store: S3Store) -> tuple[str, str, str]:
    """Access key, region and session token of a request."""
    store.put(BUCKET, "one", b"x", {}, only_if_absent=False)
    sent = wire.requests[-1]
    region = sent["authorization"].partition("Credential=")[2].split("/")[2]
    return wire.signers()[-1], region, sent.get("x-amz-security-token", "")


def configuration(wire: Recorder, more: dict[str, str]) -> dict[str, str]:
    """Flink's, with a store."""
    styles = {"s3.path.style.access": "true", "s3.path-style-access": "true"}
    return {"s3.endpoint": wire.endpoint, "s3.region": "eu-west-1", **styles, **more}


def test_delegation_tokens_sign_requests_and_are_renewed(probe: StoreProbe, plugin: str, wire: Recorder) -> None:
    """What Flink's JobManager hands out signs the first request; what it hands out later signs those that follow, none refused."""
    given = configuration(wire, TOKENS[plugin])
    assert probe.refused(given) == {}, "the bridge writes the table"
    probe.told(given)
    probe.hand_out("ASIAFIRST", 2)
    store = open_store(probe.settings(given), "off", 1, configured=probe.keys)
    region = "eu-west-3" if plugin == "hadoop" else "eu-west-1"
    assert signed(wire, store) == ("ASIAFIRST", region, "token-of-ASIAFIRST"), "s3-fs-native has the region for STS only"

    probe.hand_out("ASIASECOND", 3600)
    deadline = time.monotonic() + 60
    while signed(wire, store)[0] != "ASIASECOND":
        assert time.monotonic() < deadline, "keys that last 2 s are asked for again within them"
    assert signed(wire, store)[2] == "token-of-ASIASECOND", "with its own token"
    assert store.counts()["credential_refreshes"] == 1, "and counted"


def test_which_keys_go_first_is_the_plugins_choice(probe: StoreProbe, plugin: str, wire: Recorder) -> None:
    """s3-fs-hadoop takes a token before configured keys, s3-fs-native after them."""
    given = configuration(wire, {**TOKENS[plugin], "s3.access-key": "AKCONFIGURED", "s3.secret-key": "secret"})
    probe.told(given)
    probe.hand_out("ASIATOKEN", 3600)
    expected = "ASIATOKEN" if plugin == "hadoop" else "AKCONFIGURED"
    assert signed(wire, open_store(probe.settings(given), "off", 1, configured=probe.keys))[0] == expected


def test_tokens_count_only_where_flink_fetches_them(probe: StoreProbe, plugin: str, wire: Recorder) -> None:
    """With delegation tokens switched off the configured keys sign, whatever the plugin has had before."""
    given = configuration(wire, {**TOKENS[plugin], "s3.access-key": "AKCONFIGURED", "s3.secret-key": "secret"})
    probe.told(given)
    probe.hand_out("ASIATOKEN", 3600)
    off = {**given, "security.delegation.tokens.enabled": "false"}
    assert signed(wire, open_store(probe.settings(off), "off", 1, configured=probe.keys))[0] == "AKCONFIGURED"


def test_a_provider_beside_the_plugin_signs_requests(probe: StoreProbe, vault: Path, wire: Recorder) -> None:
    """A user's own class, which only the plugin's class loader sees, gives the keys, and is asked again."""
    given = configuration(wire, {"fs.s3a.aws.credentials.provider": "example.Vault"})
    vault.write_text("ASIAVAULT")
    assert probe.refused(given) == {}, "the bridge writes the table"
    store = open_store(probe.settings(given), "off", 1, configured=probe.keys)
    assert signed(wire, store) == ("ASIAVAULT", "eu-west-1", "token-of-ASIAVAULT")

    vault.write_text("ASIAFRESH")
    assert probe.keys().access_key == "ASIAFRESH", "as the class says now"


def test_a_provider_that_is_nowhere_falls_back(probe: StoreProbe, wire: Recorder) -> None:
    """Neither in lib/ nor beside the plugin: Flink's own sink writes the table, and the remedy says where to put the class."""
    refused = probe.refused(configuration(wire, {"fs.s3a.aws.credentials.provider": "com.example.Nowhere"}))
    assert refused["key"] == "fs.s3a.aws.credentials.provider"
    assert "can't call 'com.example.Nowhere': put its jar" in refused["remedy"]


KEPT = {
    "hadoop": {"fs.s3a.encryption.algorithm": "AES256", "fs.s3a.acl.default": "BucketOwnerFullControl"},
    "native": {"s3.sse.type": "sse-kms", "s3.sse.kms.key-id": "alias/lake"},
}
KEPT_AS = {
    "hadoop": {"x-amz-server-side-encryption": "AES256", "x-amz-acl": "bucket-owner-full-control"},
    "native": {"x-amz-server-side-encryption": "aws:kms", "x-amz-server-side-encryption-aws-kms-key-id": "alias/lake"},
}
"""What a plugin knows of how an object is kept, in its own keys, and what its request says. s3-fs-hadoop names keys of KMS under HTTPS only."""

NOBODYS = {
    "fs.s3a.encryption.context": "team=a",
    "fs.s3a.create.storage.class": "STANDARD_IA",
    "fs.s3a.requester.pays.enabled": "true",
}


def test_a_success_file_is_kept_as_the_plugin_knows(probe: StoreProbe, plugin: str, wire: Recorder) -> None:
    """`_SUCCESS` has what the plugin's own keys say, and nothing of the keys that only the bridge's writers honour (docs/store-keys.md)."""
    given = configuration(wire, {**KEPT[plugin], **NOBODYS, "s3.access-key": "AK", "s3.secret-key": "secret"})
    probe.writes_success(given)

    (put,) = (each for each in wire.requests if "x-amz-server-side-encryption" in each)
    assert {name: value for name, value in put.items() if name.startswith(("x-amz-server-side", "x-amz-acl"))} == KEPT_AS[plugin]
    assert not {"x-amz-storage-class", "x-amz-request-payer"} & put.keys(), "no plugin knows these"

    open_store(probe.settings(given), "off", 1).put(BUCKET, "t/part", b"x", {}, only_if_absent=False)
    sent = wire.requests[-1]
    assert {"x-amz-storage-class", "x-amz-request-payer"} <= sent.keys(), "data files have all"
    assert ("x-amz-server-side-encryption-context" in sent) == (plugin == "native"), "the context goes with a key of KMS"
