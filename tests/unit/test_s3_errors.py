"""Errors of the S3 client: each says what to do next, and an unreadable answer is never taken for a refusal."""

import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError, EndpointConnectionError, NoCredentialsError, ReadTimeoutError

from partition_bridge import errors
from partition_bridge.store.s3_errors import translated


def answer(code: str, status: int) -> ClientError:
    """An error answer of a store."""
    metadata = {"HTTPStatusCode": status, "RequestId": "R1", "RetryAttempts": 2}
    return ClientError({"Error": {"Code": code, "Message": "as the store says"}, "ResponseMetadata": metadata}, "Verb")  # type: ignore[typeddict-item]  # botocore's own parser gives no more


@pytest.mark.parametrize(
    ("code", "status", "kind", "word"),
    [
        ("NoSuchBucket", 404, errors.Configuration, "create it"),
        ("AccessDenied", 403, errors.Configuration, "s3:PutObject"),
        ("InvalidAccessKeyId", 403, errors.Configuration, "s3.access-key"),
        ("SignatureDoesNotMatch", 403, errors.Configuration, "s3.secret-key"),
        ("RequestTimeTooSkewed", 403, errors.Configuration, "clock"),
        ("AuthorizationHeaderMalformed", 400, errors.Configuration, "s3.region"),
        ("PermanentRedirect", 301, errors.Configuration, "region"),
        ("ExpiredToken", 400, errors.StoreUnavailable, "fresh credentials"),
        ("ExpiredTokenException", 400, errors.StoreUnavailable, "fresh credentials"),
        ("TokenRefreshRequired", 400, errors.StoreUnavailable, "fresh credentials"),
        ("NoSuchUpload", 404, errors.NoSuchUpload, "upload"),
        ("PreconditionFailed", 412, errors.PreconditionFailed, "object under the key"),
        ("EntityTooSmall", 400, errors.PartsRefused, "sink.upload.part-size"),
        ("InvalidPart", 400, errors.PartsRefused, "part"),
        ("SlowDown", 503, errors.StoreUnavailable, "as the store says"),
        ("InternalError", 500, errors.StoreUnavailable, "as the store says"),
        ("InternalError", 200, errors.StoreUnavailable, "as the store says"),
        ("SomethingNew", 200, errors.StoreUnavailable, "as the store says"),
        ("SomethingNew", 502, errors.StoreUnavailable, "as the store says"),
        ("SomethingNew", 429, errors.StoreUnavailable, "as the store says"),
        ("SomethingNew", 400, errors.Fail, "as the store says"),
        ("403", 403, errors.Configuration, "credentials"),
        ("412", 412, errors.PreconditionFailed, "object under the key"),
    ],
)
def test_answer_of_the_store_says_what_to_do(code: str, status: int, kind: type[Exception], word: str) -> None:
    """Code and status give one place in the tree; the message has the object, the upload, the request and the attempts."""
    error = translated(answer(code, status), "complete_multipart_upload", "lake", "t/part-0", "u1")
    assert type(error) is kind
    for fact in (word, "s3://lake/t/part-0", "upload u1", "request R1", "attempt 3"):
        assert fact in str(error)


@pytest.mark.parametrize(
    "silence",
    [
        EndpointConnectionError(endpoint_url="http://127.0.0.1:1"),
        ConnectTimeoutError(endpoint_url="http://127.0.0.1:1"),
        ReadTimeoutError(endpoint_url="http://127.0.0.1:1"),
        ConnectionResetError("reset"),
        ValueError("an answer that no parser reads"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_silence_is_unclear(silence: Exception) -> None:
    """No answer and an unreadable one may both follow an effect (I3)."""
    assert type(translated(silence, "put_object", "lake", "k", None)) is errors.StoreUnavailable


def test_missing_credentials_name_the_options() -> None:
    """Without keys the message says where to put them."""
    error = translated(NoCredentialsError(), "head_bucket", "lake", None, None)
    assert type(error) is errors.Configuration
    assert "s3.access-key" in str(error)


def test_tree_of_errors_has_four_kinds() -> None:
    """Each error has one of the four kinds of docs/protocol.md, by its branch."""
    branches = {
        errors.Retry: "retry",
        errors.Fail: "fail",
        errors.Configuration: "configuration",
        errors.OutcomeUnknown: "unknown-outcome",
    }
    classes = [thing for thing in vars(errors).values() if isinstance(thing, type)]
    everything = [thing for thing in classes if errors.BridgeError in thing.__mro__]
    for error in everything:
        parents = [branch for branch in branches if branch in error.__mro__]
        kind = getattr(error, "kind", None)
        assert error is errors.BridgeError or [branches[parent] for parent in parents] == [kind], error
