"""A store in memory that passes the contract suite of the real ones: their refusals included.

``forgetful``: a repeated ``complete`` answers NoSuchUpload, as some servers do; else it answers as if nothing had been amiss, as others do,
even when the object is gone by now.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from partition_bridge.entries import Part
from partition_bridge.errors import Configuration, NoSuchUpload, PartsRefused, PreconditionFailed
from partition_bridge.store.protocol import Body, ObjectFacts, OpenUpload, StoredPart

_MINIMUM = 5 << 20


@dataclass
class _Upload:
    bucket: str
    key: str
    metadata: Mapping[str, str]
    parts: dict[int, bytes] = field(default_factory=dict)


class MemoryStore:
    """See the module. ``read`` is for tests: what a reader of the object gets."""

    def __init__(self, *buckets: str, forgetful: bool = False) -> None:
        self._lock = threading.Lock()
        self._forgetful = forgetful
        self._objects: dict[str, dict[str, tuple[bytes, str, Mapping[str, str]]]] = {bucket: {} for bucket in buckets}
        self._uploads: dict[str, _Upload] = {}
        self._completed: set[str] = set()
        self._next = 0

    def check_bucket(self, bucket: str) -> None:
        self._bucket(bucket)

    def create(self, bucket: str, key: str, metadata: Mapping[str, str]) -> str:
        with self._lock:
            self._bucket(bucket)
            self._next += 1
            upload_id = f"upload-{self._next}"
            self._uploads[upload_id] = _Upload(bucket, key, dict(metadata))
            return upload_id

    def upload_part(self, bucket: str, key: str, upload_id: str, number: int, body: Body) -> StoredPart:
        data = bytes(body)
        with self._lock:
            self._upload(bucket, key, upload_id).parts[number] = data
        return StoredPart(f'"{hashlib.md5(data, usedforsecurity=False).hexdigest()}"', None)

    def complete(self, bucket: str, key: str, upload_id: str, parts: Sequence[Part], only_if_absent: bool) -> int:
        with self._lock:
            if upload_id in self._completed and not self._forgetful:
                return 0
            upload = self._upload(bucket, key, upload_id)
            if only_if_absent and key in self._bucket(bucket):
                raise PreconditionFailed(f"there is an object under s3://{bucket}/{key}")
            _check_parts(upload, parts)
            data = b"".join(upload.parts[part.number] for part in parts)
            self._bucket(bucket)[key] = (data, f'"{len(parts)}-parts-{upload_id}"', upload.metadata)
            del self._uploads[upload_id]
            self._completed.add(upload_id)
        return 0

    def abort(self, bucket: str, key: str, upload_id: str) -> None:
        with self._lock:
            upload = self._uploads.get(upload_id)
            if upload is not None and (upload.bucket, upload.key) == (bucket, key):
                del self._uploads[upload_id]

    def list_parts(self, bucket: str, key: str, upload_id: str) -> list[Part]:
        with self._lock:
            parts = self._upload(bucket, key, upload_id).parts
            return [
                Part(number, len(data), f'"{hashlib.md5(data, usedforsecurity=False).hexdigest()}"')
                for number, data in sorted(parts.items())
            ]

    def put(self, bucket: str, key: str, body: Body, metadata: Mapping[str, str], only_if_absent: bool) -> int:
        data = bytes(body)
        with self._lock:
            if only_if_absent and key in self._bucket(bucket):
                raise PreconditionFailed(f"there is an object under s3://{bucket}/{key}")
            self._bucket(bucket)[key] = (data, f'"{hashlib.md5(data, usedforsecurity=False).hexdigest()}"', dict(metadata))
        return 0

    def head(self, bucket: str, key: str) -> ObjectFacts | None:
        with self._lock:
            found = self._bucket(bucket).get(key)
            return None if found is None else ObjectFacts(key, len(found[0]), found[1], found[2], 0)

    def get(self, bucket: str, key: str) -> bytes | None:
        with self._lock:
            found = self._bucket(bucket).get(key)
            return None if found is None else found[0]

    def list_uploads(self, bucket: str, prefix: str) -> Iterator[OpenUpload]:
        with self._lock:
            found = [
                OpenUpload(u.key, upload_id, 0)
                for upload_id, u in self._uploads.items()
                if u.bucket == bucket and u.key.startswith(prefix)
            ]
        return iter(found)

    def list_objects(self, bucket: str, prefix: str) -> Iterator[ObjectFacts]:
        with self._lock:
            found = [
                ObjectFacts(k, len(o[0]), o[1], {}, 0) for k, o in sorted(self._bucket(bucket).items()) if k.startswith(prefix)
            ]
        return iter(found)

    def delete(self, bucket: str, key: str) -> None:
        with self._lock:
            self._bucket(bucket).pop(key, None)

    def counts(self) -> Mapping[str, int]:
        return {"throttles": 0, "credential_refreshes": 0}

    def read(self, bucket: str, key: str) -> bytes:
        with self._lock:
            return self._bucket(bucket)[key][0]

    def _bucket(self, bucket: str) -> dict[str, tuple[bytes, str, Mapping[str, str]]]:
        if bucket not in self._objects:
            raise Configuration(f"bucket {bucket} doesn't exist")
        return self._objects[bucket]

    def _upload(self, bucket: str, key: str, upload_id: str) -> _Upload:
        upload = self._uploads.get(upload_id)
        if upload is None or (upload.bucket, upload.key) != (bucket, key):
            raise NoSuchUpload(f"no upload {upload_id} of s3://{bucket}/{key}")
        return upload


def _check_parts(upload: _Upload, parts: Sequence[Part]) -> None:
    numbers = [part.number for part in parts]
    if not numbers or any(a >= b for a, b in pairwise(numbers)):
        raise PartsRefused("InvalidPartOrder: parts must ascend")
    for part in parts:
        data = upload.parts.get(part.number)
        if data is None or hashlib.md5(data, usedforsecurity=False).hexdigest() != part.etag.strip('"'):
            raise PartsRefused(f"InvalidPart: part {part.number} isn't there with ETag {part.etag}")
    if any(len(upload.parts[number]) < _MINIMUM for number in numbers[:-1]):
        raise PartsRefused("EntityTooSmall: a part before the last is under 5 MiB")
