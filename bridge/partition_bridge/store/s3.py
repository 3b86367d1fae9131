"""S3 and what speaks its protocol, by boto3. Retries of single requests are botocore's, bounded; the meaning of errors is ``s3_errors``."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from partition_bridge.entries import Part
from partition_bridge.errors import Configuration, NoSuchUpload, StoreUnavailable
from partition_bridge.store.conditional import Condition, Conditional
from partition_bridge.store.protocol import Body, ObjectFacts, OpenUpload, StoredPart
from partition_bridge.store.s3_arguments import Arguments
from partition_bridge.store.s3_client import Clients
from partition_bridge.store.s3_errors import asks_for_md5, expired, status_of, translated
from partition_bridge.store_settings import ObjectSettings, StoreKeys, StoreSettings

# Before each try with fresh credentials, in seconds: whoever hands them out may be a little late.
_RENEWAL_PAUSES = (0.0, 1.0, 2.0, 4.0, 8.0)
_NOTHING_MORE = Arguments(ObjectSettings())


def open_store(
    settings: StoreSettings,
    checksum: str,
    connections: int,
    conditional: Conditional = Conditional.AUTO,
    configured: Callable[[], StoreKeys] | None = None,
) -> S3Store:
    """A client as ``settings`` say. ``checksum``: off, crc64nvme (needs awscrt) or auto (on AWS where awscrt is installed)."""
    on_aws = settings.endpoint is None or "amazonaws.com" in settings.endpoint
    return S3Store(
        Clients(settings, connections, configured),
        _digest(checksum, on_aws),
        conditional,
        Arguments(settings.objects),
        access_point=settings.access_point,
    )


def _digest(checksum: str, on_aws: bool) -> Any:
    if checksum == "off" or (checksum == "auto" and not on_aws):
        return None
    try:
        from awscrt.checksums import crc64nvme  # type: ignore[import-not-found,unused-ignore]  # comes with boto3[crt] alone
    except ImportError:
        if checksum == "auto":
            return None
        raise Configuration(
            "sink.upload.checksum = crc64nvme needs the package awscrt in the writer's Python: install it, or set 'auto'"
        ) from None
    return crc64nvme


class S3Store:
    """Implements ``store.protocol.Store``."""

    def __init__(
        self,
        clients: Clients,
        digest: Any,
        conditional: Conditional,
        arguments: Arguments = _NOTHING_MORE,
        sleep: Callable[[float], None] = time.sleep,
        access_point: str | None = None,
    ) -> None:
        self._clients = clients
        self._sleep = sleep
        self._digest = digest
        self._arguments = arguments
        self._access_point = access_point
        self._condition = Condition(conditional)
        # A bucket with object lock takes no body without a digest; what is found out once holds for all that follow.
        self._md5 = False

    def check_bucket(self, bucket: str) -> None:
        self._call("head_bucket", bucket)

    def create(self, bucket: str, key: str, metadata: Mapping[str, str]) -> str:
        extra: dict[str, Any] = {"ChecksumAlgorithm": "CRC64NVME", "ChecksumType": "FULL_OBJECT"} if self._digest else {}
        answer = self._call("create_multipart_upload", bucket, key, Metadata=dict(metadata), **extra)
        return str(_proof(answer, "UploadId", f"create_multipart_upload of s3://{bucket}/{key}"))

    def upload_part(self, bucket: str, key: str, upload_id: str, number: int, body: Body) -> StoredPart:
        checksum = self._checksum(body)
        extra: dict[str, Any] = {"ChecksumCRC64NVME": checksum} if checksum else {}
        answer = self._call("upload_part", bucket, key, UploadId=upload_id, PartNumber=number, Body=body, **extra)
        etag = _proof(answer, "ETag", f"upload_part {number} of s3://{bucket}/{key}, upload {upload_id}")
        return StoredPart(etag, checksum, int(answer["ResponseMetadata"].get("RetryAttempts", 0)))

    def complete(self, bucket: str, key: str, upload_id: str, parts: Sequence[Part], only_if_absent: bool) -> int:
        listed = [
            {"PartNumber": part.number, "ETag": part.etag, **({"ChecksumCRC64NVME": part.checksum} if part.checksum else {})}
            for part in parts
        ]
        return self._call_if_absent(
            "complete_multipart_upload", only_if_absent, bucket, key, UploadId=upload_id, MultipartUpload={"Parts": listed}
        )

    def abort(self, bucket: str, key: str, upload_id: str) -> None:
        try:
            self._call("abort_multipart_upload", bucket, key, UploadId=upload_id)
        except NoSuchUpload:
            return

    def list_parts(self, bucket: str, key: str, upload_id: str) -> list[Part]:
        parts: list[Part] = []
        marker = 0
        while True:
            answer = self._call("list_parts", bucket, key, UploadId=upload_id, PartNumberMarker=marker)
            parts += [Part(part["PartNumber"], part["Size"], part["ETag"]) for part in answer.get("Parts", ())]
            if not answer.get("IsTruncated"):
                return sorted(parts, key=lambda part: part.number)
            marker = answer["NextPartNumberMarker"]

    def put(self, bucket: str, key: str, body: Body, metadata: Mapping[str, str], only_if_absent: bool) -> int:
        checksum = self._checksum(body)
        extra: dict[str, Any] = {"ChecksumCRC64NVME": checksum} if checksum else {}
        return self._call_if_absent("put_object", only_if_absent, bucket, key, Body=body, Metadata=dict(metadata), **extra)

    def head(self, bucket: str, key: str) -> ObjectFacts | None:
        answer = self._call("head_object", bucket, key, none_for=404)
        if answer is None:
            return None
        metadata = {name.lower(): value for name, value in answer.get("Metadata", {}).items()}
        modified = _proof(answer, "LastModified", f"head_object of s3://{bucket}/{key}")
        return ObjectFacts(key, answer["ContentLength"], answer.get("ETag", ""), metadata, _millis(modified))

    def get(self, bucket: str, key: str) -> bytes | None:
        answer = self._call("get_object", bucket, key, none_for=404)
        if answer is None:
            return None
        try:
            content = bytes(answer["Body"].read())
        except Exception as broken:  # what a body that ends early raises is the client's own
            raise StoreUnavailable(f"get_object of s3://{bucket}/{key}: the answer broke off: {broken}") from broken
        _proof(answer, "ETag", f"get_object of s3://{bucket}/{key}")
        return content

    def list_uploads(self, bucket: str, prefix: str) -> Iterator[OpenUpload]:
        # Paged by hand: versitygw refuses the upload id marker of its own page.
        marker: dict[str, Any] = {}
        while True:
            answer = self._call("list_multipart_uploads", bucket, Prefix=prefix, **marker)
            for upload in answer.get("Uploads", ()):
                yield OpenUpload(upload["Key"], upload["UploadId"], _millis(upload["Initiated"]))
            if not answer.get("IsTruncated"):
                return
            marker = {"KeyMarker": answer["NextKeyMarker"], "UploadIdMarker": answer.get("NextUploadIdMarker", "")}

    def list_objects(self, bucket: str, prefix: str) -> Iterator[ObjectFacts]:
        token: dict[str, Any] = {}
        while True:
            answer = self._call("list_objects_v2", bucket, Prefix=prefix, **token)
            for found in answer.get("Contents", ()):
                yield ObjectFacts(found["Key"], found["Size"], found["ETag"], {}, _millis(found["LastModified"]))
            if not answer.get("IsTruncated"):
                return
            token = {"ContinuationToken": answer["NextContinuationToken"]}

    def delete(self, bucket: str, key: str) -> None:
        self._call("delete_object", bucket, key)

    def counts(self) -> Mapping[str, int]:
        return {"throttles": self._clients.throttles.count, "credential_refreshes": self._clients.renewals}

    def _checksum(self, body: Body) -> str | None:
        return base64.b64encode(self._digest(bytes(body)).to_bytes(8, "big")).decode("ascii") if self._digest else None

    def _call_if_absent(self, verb: str, only_if_absent: bool, bucket: str, key: str, **arguments: Any) -> int:
        answer = None
        if only_if_absent and self._condition.sent:
            answer = self._call(verb, bucket, key, none_for=501, IfNoneMatch="*", **arguments)
            if answer is None:
                self._condition.not_implemented()
        if answer is None:
            answer = self._call(verb, bucket, key, **arguments)
        _proof(answer, "ETag", f"{verb} of s3://{bucket}/{key}")
        return int(answer["ResponseMetadata"].get("RetryAttempts", 0))

    def _call(self, verb: str, bucket: str, key: str | None = None, none_for: int = 0, **arguments: Any) -> Any:
        if key is not None:
            arguments["Key"] = key
        arguments.update(self._arguments.of(verb))
        if self._md5:
            arguments.update(_content_md5(arguments))
        for pause in (*_RENEWAL_PAUSES, None):
            client = self._clients.current
            try:
                return getattr(client, verb)(Bucket=self._access_point or bucket, **arguments)
            except Exception as error:
                if none_for and status_of(error) == none_for:
                    return None
                if asks_for_md5(error) and "Body" in arguments and "ContentMD5" not in arguments:
                    self._md5 = True
                    return self._call(verb, bucket, key, none_for, **{**arguments, **_content_md5(arguments)})
                if pause is None or not expired(error):
                    raise translated(error, verb, bucket, key, arguments.get("UploadId")) from error
            # Refused, so without effect: what was to be sent is sent again, never skipped.
            self._sleep(pause)
            self._clients.renew(client)
        raise AssertionError("the last try returns or raises")


def _proof(answer: Mapping[str, Any], name: str, what: str) -> Any:
    """What only the store can have answered. A 200 without it, a login page say, may stand for anything (I3)."""
    if not answer.get(name):
        raise StoreUnavailable(
            f"{what}: HTTP {answer['ResponseMetadata'].get('HTTPStatusCode')} without {name} is no answer of an object store. "
            "Does a proxy or a login page stand between?"
        )
    return answer[name]


def _content_md5(arguments: Mapping[str, Any]) -> dict[str, str]:
    """The header's argument for a call that has a body."""
    body = arguments.get("Body")
    if body is None:
        return {}
    return {"ContentMD5": base64.b64encode(hashlib.md5(body, usedforsecurity=False).digest()).decode("ascii")}


def _millis(when: datetime) -> int:
    return int(when.timestamp() * 1000)
