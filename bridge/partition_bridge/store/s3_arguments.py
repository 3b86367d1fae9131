"""What `ObjectSettings` add to the calls of S3: each parameter goes with those calls that take it."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from partition_bridge.errors import Configuration
from partition_bridge.store_settings import ObjectSettings

_BEGIN = frozenset({"create_multipart_upload", "put_object"})
# S3 asks for the key of SSE-C with the last two where an upload has checksums, or the bucket's policy wants it everywhere.
_WITH_KEY = _BEGIN | {"upload_part", "head_object", "get_object", "complete_multipart_upload", "list_parts"}
_OF_OBJECTS = _WITH_KEY | {
    "abort_multipart_upload",
    "list_multipart_uploads",
    "list_objects_v2",
    "delete_object",
}


class Arguments:
    """Extra parameters by the name of boto3's method. Raises ``Configuration`` for a key or a context that S3 can't take."""

    def __init__(self, objects: ObjectSettings) -> None:
        # What Java's SDK, and so s3-fs-hadoop, says where nothing is known; S3's own default would be binary/octet-stream.
        begin = _given(ContentType="application/octet-stream", ACL=objects.acl, StorageClass=objects.storage_class)
        with_key: dict[str, Any] = {}
        if objects.encryption == "c":
            with_key = {"SSECustomerAlgorithm": "AES256", "SSECustomerKey": _customer_key(objects.encryption_key)}
        elif objects.encryption is not None:
            begin["ServerSideEncryption"] = objects.encryption
            if objects.encryption == "aws:kms":
                begin |= _given(SSEKMSKeyId=objects.encryption_key, SSEKMSEncryptionContext=_context(objects.encryption_context))
        of_objects = {"RequestPayer": "requester"} if objects.requester_pays else {}
        self._by_verb: Mapping[str, Mapping[str, Any]] = {
            verb: {**of_objects, **(with_key if verb in _WITH_KEY else {}), **(begin if verb in _BEGIN else {})}
            for verb in _OF_OBJECTS
        }

    def of(self, verb: str) -> Mapping[str, Any]:
        return self._by_verb.get(verb, {})


def _given(**values: str | None) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _customer_key(key: str | None) -> bytes:
    try:
        decoded = base64.b64decode(key or "", validate=True)
    except binascii.Error:
        decoded = b""
    if len(decoded) != 32:
        raise Configuration(
            "SSE-C needs a key of 256 bits in base64: set 'fs.s3a.encryption.key' in Flink's configuration to one"
        )
    return decoded


def _context(pairs: str | None) -> str | None:
    """As hadoop-aws has it, ``name=value, name=value``; as S3 has it, JSON in base64."""
    if pairs is None:
        return None
    parsed = dict(part.strip().partition("=")[::2] for part in pairs.split(",") if part.strip())
    if not all(name and value for name, value in parsed.items()):
        raise Configuration("'fs.s3a.encryption.context' in Flink's configuration must be name=value, name=value")
    return base64.b64encode(json.dumps(parsed).encode()).decode("ascii")
