"""What an error of boto3 means to the bridge: one table from S3's error codes to the tree of ``errors``, with what to do.

A code that isn't in the table goes by its HTTP status; an answer that can't be read is an unclear one, never a refusal.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore import exceptions as boto

from partition_bridge.errors import (
    BridgeError,
    Configuration,
    Fail,
    NoSuchUpload,
    PartsRefused,
    PreconditionFailed,
    StoreUnavailable,
)

_CODES: dict[str, tuple[type[BridgeError], str]] = {
    "NoSuchBucket": (Configuration, "the bucket doesn't exist: create it, or correct the table's path or the endpoint"),
    "AccessDenied": (
        Configuration,
        "the credentials may not do this: allow s3:PutObject, s3:GetObject, s3:ListBucket, s3:AbortMultipartUpload",
    ),
    "AllAccessDisabled": (Configuration, "the bucket is disabled: ask its owner"),
    "AccountProblem": (Configuration, "the account has a problem: ask the provider"),
    "InvalidAccessKeyId": (
        Configuration,
        "the store doesn't know the access key: correct s3.access-key, or the endpoint it belongs to",
    ),
    "SignatureDoesNotMatch": (Configuration, "the signature doesn't match: correct s3.secret-key"),
    "AuthorizationHeaderMalformed": (Configuration, "the region is wrong: set s3.region to the bucket's region"),
    "PermanentRedirect": (Configuration, "the bucket is in another region: set s3.region or s3.endpoint"),
    "RequestTimeTooSkewed": (Configuration, "the clock of this machine differs from the store's by more than 15 minutes: set it"),
    "InvalidToken": (Configuration, "the session token isn't valid: correct s3.session-token"),
    "InvalidBucketName": (Configuration, "the bucket's name isn't valid: correct the table's path"),
    "KMS.DisabledException": (Configuration, "the bucket's KMS key is disabled: enable it"),
    "QuotaExceeded": (Configuration, "the quota of the bucket is used up: raise it or remove objects"),
    "NoSuchUpload": (NoSuchUpload, "the store doesn't know the upload"),
    "PreconditionFailed": (PreconditionFailed, "there is an object under the key"),
    "EntityTooSmall": (
        PartsRefused,
        "a part before the last is too small for this store: raise sink.upload.part-size for new files",
    ),
    "EntityTooLarge": (PartsRefused, "a part is too large for this store: lower sink.upload.part-size for new files"),
    "InvalidPart": (PartsRefused, "the store doesn't hold a part as the state names it"),
    "InvalidPartOrder": (PartsRefused, "the store wants parts in another order"),
    "BadDigest": (StoreUnavailable, "the bytes were changed on their way"),
    "NoSuchKey": (Fail, "the object isn't there"),
}
_CODES["XAdminUserNotFound"] = _CODES["InvalidAccessKeyId"]  # versitygw's word for it
_EXPIRED = (
    StoreUnavailable,
    "the session token has expired, and no fresh credentials came: see that whatever gives them still does; a restart asks again",
)
_EXPIRED_CODES = frozenset({"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"})
_CODES |= dict.fromkeys(_EXPIRED_CODES, _EXPIRED)
THROTTLE_CODES = frozenset({"SlowDown", "ThrottlingException", "Throttling", "TooManyRequests", "BandwidthLimitExceeded"})
_UNCLEAR_CODES = THROTTLE_CODES | {
    "InternalError",
    "ServiceUnavailable",
    "RequestTimeout",
    "RequestTimeoutException",
    "OperationAborted",
    "ConditionalRequestConflict",
    "IncompleteBody",
}


def status_of(error: Exception) -> int:
    """HTTP status of the answer, 0 where there was none."""
    response: dict[str, Any] = getattr(error, "response", None) or {}
    return int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def expired(error: Exception) -> bool:
    """Whether the store refuses the request, surely without effect, because the credentials have expired."""
    return isinstance(error, boto.ClientError) and (
        error.response.get("Error", {}).get("Code") in _EXPIRED_CODES or _reasonless(error)
    )


def asks_for_md5(error: Exception) -> bool:
    """Whether the store refuses a body, surely without effect, because object lock demands a digest with it (S3: InvalidRequest)."""
    return (
        isinstance(error, boto.ClientError)
        and status_of(error) == 400
        and "Content-MD5" in error.response.get("Error", {}).get("Message", "")
    )


def _reasonless(error: boto.ClientError) -> bool:
    # A HEAD has no body: S3 answers one with an expired token by a bare 400.
    return error.operation_name.startswith("Head") and status_of(error) == 400


def translated(error: Exception, verb: str, bucket: str, key: str | None, upload_id: str | None) -> BridgeError:
    """The bridge's error for ``error`` of boto3, with everything that a person needs to find the object."""
    if isinstance(error, BridgeError):  # of whoever gives the credentials, in the middle of a request
        return error
    where = f"s3://{bucket}/{key}" if key is not None else f"bucket {bucket}"
    if upload_id is not None:
        where += f", upload {upload_id}"
    if isinstance(error, boto.ClientError):
        return _of_answer(error, f"{verb} of {where}")
    if isinstance(error, (boto.NoCredentialsError, boto.PartialCredentialsError, boto.CredentialRetrievalError)):
        return Configuration(
            f"{verb} of {where}: no usable credentials ({error}). A job takes s3.access-key and s3.secret-key of Flink's configuration, "
            "or the TaskManager's role; the command line takes AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile"
        )
    if isinstance(error, (boto.ParamValidationError, boto.InvalidRegionError, boto.InvalidEndpointConfigurationError)):
        return Configuration(f"{verb} of {where}: {error}")
    if isinstance(error, (boto.HTTPClientError, boto.BotoCoreError, OSError)):
        return StoreUnavailable(f"{verb} of {where}: no clear answer: {error}. Is the endpoint right, and the store up?")
    return StoreUnavailable(f"{verb} of {where}: no clear answer: {type(error).__name__}: {error}")


@contextmanager
def explained(verb: str, bucket: str, key: str | None) -> Iterator[None]:
    """While in it, errors of boto3 become the bridge's."""
    try:
        yield
    except (boto.BotoCoreError, boto.ClientError) as error:
        raise translated(error, verb, bucket, key, None) from None


def _of_answer(error: boto.ClientError, what: str) -> BridgeError:
    fault: dict[str, Any] = dict(error.response.get("Error", {}))
    code, status = str(fault.get("Code", "")), status_of(error)
    metadata: dict[str, Any] = dict(error.response.get("ResponseMetadata", {}))
    facts = f"{code or 'no code'}, HTTP {status}, request {metadata.get('RequestId', 'unknown')}, attempt {1 + int(metadata.get('RetryAttempts', 0))}"
    if code in _UNCLEAR_CODES or status >= 500 or status in {429, 200}:
        return StoreUnavailable(f"{what}: {fault.get('Message', 'no message')} ({facts})")
    kind, remedy = _EXPIRED if _reasonless(error) else _CODES.get(code, (None, ""))
    if kind is None:
        kind, remedy = _of_status(status, fault, what)
    return kind(f"{what}: {remedy} ({facts})")


def _of_status(status: int, fault: dict[str, Any], what: str) -> tuple[type[BridgeError], str]:
    # HEAD has no body, so no code but the status.
    if status == 404 and what.startswith("head_bucket"):
        return _CODES["NoSuchBucket"]
    if status in (301, 307, 308):
        return _CODES["PermanentRedirect"]
    if status in (401, 403):
        return (
            Configuration,
            "the store refuses the credentials: check s3.access-key, s3.secret-key, s3.endpoint, and what they are allowed to do",
        )
    if status == 412:
        return _CODES["PreconditionFailed"]
    return Fail, f"the store refuses: {fault.get('Message', 'no message')}"
