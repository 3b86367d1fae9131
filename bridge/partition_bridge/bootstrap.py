"""The line of JSON that the shim writes to the writer's standard input: parsed, checked, kept from view (I12)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from partition_bridge.errors import Configuration

PROTOCOL = 1
_MIB = 1 << 20


@dataclass(frozen=True)
class StoreKeys:
    """Credentials as Flink's configuration has them."""

    access_key: str = field(repr=False)
    secret_key: str = field(repr=False)
    session_token: str | None = field(repr=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts that no message may hold."""
        return tuple(value for value in (self.secret_key, self.session_token) if value)


@dataclass(frozen=True)
class StoreSettings:
    """How to reach the store. Without keys botocore's default chain looks for them, with ``aws_environment`` set."""

    endpoint: str | None
    region: str | None
    path_style: bool
    access_key: str | None = field(repr=False)
    secret_key: str | None = field(repr=False)
    session_token: str | None = field(repr=False)
    aws_environment: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True)
class Bootstrap:
    """All that a writer process is told at its start. Sizes are bytes."""

    socket: str | int
    gateway_port: int
    token: str = field(repr=False)
    subtask: int
    parallelism: int
    attempt: int
    table: str
    bucket: str
    prefix: str
    encoder: str
    schema: str | None
    format_options: Mapping[str, str]
    part_size: int
    upload_concurrency: int
    commit_concurrency: int
    checksum: str
    conditional: str
    inline_threshold: int
    inline_limit: int
    memory: int
    missing_upload: str
    store: StoreSettings
    fault_points: str | None

    def secrets(self) -> tuple[str, ...]:
        """Texts that no message may hold."""
        store = self.store
        known = [self.token, store.secret_key, store.session_token]
        known += [value for key, value in store.aws_environment.items() if "SECRET" in key or "TOKEN" in key]
        return tuple(value for value in known if value)


def parse(line: str) -> Bootstrap:
    """Raises ``Configuration`` naming the field at fault, never its value: it may be a secret."""
    try:
        raw = json.loads(line)
    except ValueError:
        raise Configuration(
            "the first line of standard input isn't JSON; the writer is started by the sink, not by hand"
        ) from None
    if not isinstance(raw, dict):
        raise Configuration("the first line of standard input isn't a JSON object")
    if raw.pop("protocol", None) != PROTOCOL:
        raise Configuration(
            f"the jar and the Python package speak different protocols; this package speaks {PROTOCOL}: install both from one release"
        )
    known = set(Bootstrap.__dataclass_fields__)
    if set(raw) != known:
        missing, unknown = sorted(known - set(raw)), sorted(set(raw) - known)
        raise Configuration(
            f"the start message lacks {missing} and has unknown {unknown}: install jar and Python package from one release"
        )
    raw["store"] = _store(raw["store"])
    settings = Bootstrap(**raw)
    _check(settings)
    _check_schema(settings)
    return settings


def _store(raw: Any) -> StoreSettings:
    known = set(StoreSettings.__dataclass_fields__)
    if not isinstance(raw, dict) or set(raw) != known:
        raise Configuration(f"'store' of the start message must have exactly the keys {sorted(known)}")
    settings = StoreSettings(**{**raw, "aws_environment": raw["aws_environment"] or {}})
    if bool(settings.access_key) != bool(settings.secret_key):
        raise Configuration("s3.access-key and s3.secret-key must both be set, or none")
    return settings


def _check(given: Bootstrap) -> None:
    positive = ("gateway_port", "parallelism", "part_size", "upload_concurrency", "commit_concurrency", "memory")
    for name in (*positive, "subtask", "attempt", "inline_threshold", "inline_limit"):
        value = getattr(given, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < (1 if name in positive else 0):
            raise Configuration(f"'{name}' of the start message must be an integer of at least {1 if name in positive else 0}")
    for name in ("token", "table", "bucket", "prefix"):
        if not isinstance(getattr(given, name), str):
            raise Configuration(f"'{name}' of the start message must be a string")
    if isinstance(given.socket, bool) or not isinstance(given.socket, (str, int)):
        raise Configuration("'socket' of the start message must be a path or a port")
    if given.part_size < 5 * _MIB:
        raise Configuration(f"sink.upload.part-size is {given.part_size} bytes; S3 refuses parts under 5 MiB: set at least 5 mb")
    if given.memory < 2 * given.part_size:
        raise Configuration(
            f"sink.writer.memory ({given.memory} bytes) must be at least twice sink.upload.part-size ({given.part_size} bytes)"
        )
    for option, value, words in (
        ("sink.writer.encoder", given.encoder, ("arrow", "host")),
        ("sink.upload.checksum", given.checksum, ("auto", "off", "crc64nvme")),
        ("sink.upload.conditional", given.conditional, ("auto", "on", "off")),
        ("sink.restore.missing-upload", given.missing_upload, ("fail", "skip")),
    ):
        if value not in words:
            raise Configuration(f"{option} must be one of {', '.join(words)}")


def _check_schema(given: Bootstrap) -> None:
    fingerprint = isinstance(given.schema, str) and re.fullmatch("[0-9a-f]{16}", given.schema) is not None
    if not (fingerprint if given.encoder == "host" else given.schema is None):
        raise Configuration("'schema' of the start message must be 16 hex digits with the host encoder, null with arrow")
