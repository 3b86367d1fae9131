"""What Flink's configuration says of the object store, as the shim has translated it. Holds secrets: never logged or shown (I12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from partition_bridge.errors import Configuration


@dataclass(frozen=True)
class StoreKeys:
    """Credentials as the shim has them. ``ask_again_ms``: how long they may be used before it's asked for fresh ones; None for always."""

    access_key: str = field(repr=False)
    secret_key: str = field(repr=False)
    session_token: str | None = field(repr=False)
    ask_again_ms: int | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts that no message may hold."""
        return tuple(value for value in (self.secret_key, self.session_token) if value)


@dataclass(frozen=True)
class Role:
    """A role of AWS STS that is assumed with the other credentials. ``seconds``: how long each session lasts."""

    arn: str
    external_id: str | None = field(repr=False)
    session_name: str
    seconds: int
    policy: str | None
    endpoint: str | None
    region: str | None


@dataclass(frozen=True)
class ObjectSettings:
    """How the store keeps what is uploaded. ``encryption``: AES256, aws:kms, c (a key brought along, base64) or None."""

    encryption: str | None = None
    encryption_key: str | None = field(default=None, repr=False)
    encryption_context: str | None = None
    acl: str | None = None
    storage_class: str | None = None
    requester_pays: bool = False


@dataclass(frozen=True)
class StoreSettings:
    """How to reach the store.

    ``providers``: sources of credentials in their order; None for keys, or else botocore's default chain.
    ``ask_again_ms``: as in ``StoreKeys``, of the keys here. ``access_point``: ARN that stands for the bucket in every call.
    ``signature``: "s3v4", or "s3" for version 2. ``region_of_instance``: the instance's region, where it has one, goes before ``region``.
    """

    endpoint: str | None
    region: str | None
    path_style: bool
    access_key: str | None = field(repr=False)
    secret_key: str | None = field(repr=False)
    session_token: str | None = field(repr=False)
    aws_environment: Mapping[str, str] = field(repr=False)
    proxy: str | None = field(default=None, repr=False)
    providers: Sequence[str] | None = None
    role: Role | None = None
    objects: ObjectSettings = ObjectSettings()
    ask_again_ms: int | None = None
    access_point: str | None = None
    signature: str = "s3v4"
    region_of_instance: bool = False

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts that no message may hold: values of the proxy's password and of SSE-C's key included."""
        known = [self.secret_key, self.session_token, self.role and self.role.external_id]
        known += [value for key, value in self.aws_environment.items() if "SECRET" in key or "TOKEN" in key]
        if self.objects.encryption == "c":
            known.append(self.objects.encryption_key)
        if self.proxy:
            password = urlsplit(self.proxy).password
            known += [password, unquote(password)] if password else []
        return tuple(value for value in known if value)


def parse(raw: Any) -> StoreSettings:
    """The object "store" of the start message. Raises ``Configuration`` naming the field at fault, never its value."""
    given = _whole(StoreSettings, raw, "store")
    given["aws_environment"] = given["aws_environment"] or {}
    given["objects"] = ObjectSettings(**_whole(ObjectSettings, given["objects"], "objects"))
    given["role"] = Role(**_whole(Role, given["role"], "role")) if given["role"] is not None else None
    settings = StoreSettings(**given)
    if bool(settings.access_key) != bool(settings.secret_key):
        raise Configuration("s3.access-key and s3.secret-key must both be set, or none")
    return settings


def _whole(kind: Any, raw: Any, name: str) -> dict[str, Any]:
    known = set(kind.__dataclass_fields__)
    if not isinstance(raw, dict) or set(raw) != known:
        raise Configuration(f"'{name}' of the start message must have exactly the keys {sorted(known)}")
    return dict(raw)
