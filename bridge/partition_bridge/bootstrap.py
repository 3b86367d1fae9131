"""The line of JSON that the shim writes to the writer's standard input: parsed, checked, kept from view (I12)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from partition_bridge import start_line, store_settings
from partition_bridge.errors import Configuration
from partition_bridge.store_settings import StoreSettings

_MIB = 1 << 20


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
    compression: str
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
        return (self.token, *self.store.secrets)


def parse(line: str) -> Bootstrap:
    """Raises ``Configuration`` naming the field at fault, never its value: it may be a secret."""
    raw = start_line.fields(line, Bootstrap.__dataclass_fields__, "writer")
    raw["store"] = store_settings.parse(raw["store"])
    settings = Bootstrap(**raw)
    _check(settings)
    _check_schema(settings)
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
        ("sink.file.compression", given.compression, ("none", "gzip", "zstd")),
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
    if given.encoder == "arrow" and given.compression != "none":
        raise Configuration("sink.file.compression is for text files; set 'parquet.compression' instead")
