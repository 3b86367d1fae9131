"""What the credentials may do under a table's path, tried on a key of our own that readers skip and that is removed again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from partition_bridge.doctor.finding import Finding, fail, ok, skip, warn
from partition_bridge.errors import BridgeError, Configuration
from partition_bridge.names import marked_uuid
from partition_bridge.store.conditional import require_conditional
from partition_bridge.store.protocol import Store
from partition_bridge.store.s3_look import BucketRules

_ALLOW = "allow {} on the table's path"


def try_rights(store: Store, bucket: str, prefix: str, rules: BucketRules) -> Iterator[Finding]:
    """``store`` has to insist on conditional writes. Whatever happens, nothing is left on it but, in buckets that keep them, no version either."""
    # The mark lets the orphan command find the upload if this process dies here.
    key = f"{prefix}/" * bool(prefix) + f"_doctor-{marked_uuid()}-0-0"
    multipart = _multipart(store, bucket, key)
    yield multipart
    yield _open_uploads(store, bucket, prefix)
    delete = _delete(store, bucket, key)
    yield delete
    if rules.versioned or rules.locked:
        yield skip("put", "the bucket keeps versions, and a trial would leave one")
        yield skip("conditional writes", "as above")
    elif delete.remedy or multipart.remedy:
        why = "what a trial puts couldn't be removed" if delete.remedy else "multipart comes first"
        yield skip("put", why)
        yield skip("conditional writes", why)
    else:
        yield _put(store, bucket, key)
        yield _conditional(store, bucket, prefix)


def _refused(attempt: Callable[[], object]) -> str | None:
    try:
        attempt()
    except BridgeError as refused:
        return str(refused)
    return None


def _multipart(store: Store, bucket: str, key: str) -> Finding:
    """All of an upload but its completion."""
    check, upload = "multipart", ""
    try:
        upload = store.create(bucket, key, {})
        store.upload_part(bucket, key, upload, 1, b"doctor")
        store.abort(bucket, key, upload)
    except BridgeError as refused:
        if upload:
            with suppress(BridgeError):
                store.abort(bucket, key, upload)
        return fail(check, str(refused), _ALLOW.format("s3:PutObject and s3:AbortMultipartUpload"))
    return ok(check, "begun, a part sent, aborted")


def _open_uploads(store: Store, bucket: str, prefix: str) -> Finding:
    refused = _refused(lambda: next(iter(store.list_uploads(bucket, prefix)), None))
    if refused is not None:
        return warn(
            "list uploads", refused, "allow s3:ListBucketMultipartUploads on the bucket: `partition-bridge orphans` needs it"
        )
    return ok("list uploads", "allowed")


def _delete(store: Store, bucket: str, key: str) -> Finding:
    """Of a key that isn't there: S3 asks for the permission all the same."""
    refused = _refused(lambda: store.delete(bucket, key))
    if refused is not None:
        return warn(
            "delete", refused, _ALLOW.format("s3:DeleteObject") + ": batch inserts and 'sink.upload.conditional' = 'on' need it"
        )
    return ok("delete", "allowed")


def _put(store: Store, bucket: str, key: str) -> Finding:
    try:
        store.put(bucket, key, b"doctor", {"token": "doctor"}, only_if_absent=False)
        try:
            facts = store.head(bucket, key)
        finally:
            store.delete(bucket, key)
    except BridgeError as refused:
        return fail("put", str(refused), _ALLOW.format("s3:PutObject and s3:GetObject"))
    if facts is None or facts.size != len(b"doctor") or facts.metadata.get("token") != "doctor":
        return fail(
            "put",
            "the object isn't there as it was sent: size or user metadata differ",
            "use a store that keeps both: read-back goes by them",
        )
    return ok("put", "put, read back with its metadata, removed")


def _conditional(store: Store, bucket: str, prefix: str) -> Finding:
    check = "conditional writes"
    try:
        require_conditional(store, bucket, prefix)
    except Configuration as refused:
        return warn(
            check,
            str(refused),
            "leave 'sink.upload.conditional' = 'auto', and let nothing else write under the table's path",
        )
    except BridgeError as refused:
        return fail(check, str(refused), "set 'sink.upload.conditional' = 'off', or mend what the message names")
    return ok(check, "an existing object is never overwritten")
