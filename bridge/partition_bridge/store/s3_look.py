"""One look at a bucket through boto3: what it answered, and what its rules say. Values only; nobody's mind is made up here."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Any

from botocore import exceptions as boto

from partition_bridge.errors import BridgeError
from partition_bridge.store.s3_errors import status_of, translated


@dataclass(frozen=True)
class Answer:
    """Of the first request. ``error`` is the bridge's text, None for a yes; ``code`` S3's, "" without an answer.

    ``skew_s``: the store's clock minus ours, in seconds, None where it doesn't tell. ``region``: where the bucket says that it is.
    """

    reached: bool
    code: str = ""
    error: str | None = None
    region: str | None = None
    skew_s: float | None = None


@dataclass(frozen=True)
class AbortRule:
    """A rule of the bucket that aborts uploads ``days`` after they were begun."""

    name: str
    days: int


@dataclass(frozen=True)
class BucketRules:
    """``abort_rules``, ``versioned``, ``locked``: None where the store doesn't tell."""

    abort_rules: Sequence[AbortRule] | None
    versioned: bool | None
    locked: bool | None


def first_look(client: Any, bucket: str, prefix: str) -> Answer:
    """Lists at most one object: unlike a HEAD, a refusal has a code."""
    before = time.time()
    try:
        told = client.list_objects_v2(Bucket=bucket, Prefix=prefix, MaxKeys=1)
    except Exception as error:  # noqa: BLE001  # of each kind that botocore has, and of whoever gives the credentials
        response: dict[str, Any] = getattr(error, "response", None) or {}
        fault = response.get("Error", {})
        return Answer(
            reached=bool(status_of(error)),
            code=str(fault.get("Code", "")),
            error=str(translated(error, "list_objects_v2", bucket, None, None)),
            region=_header(response, "x-amz-bucket-region") or fault.get("Region"),
            skew_s=_skew(response, before, time.time()),
        )
    return Answer(reached=True, region=_header(told, "x-amz-bucket-region"), skew_s=_skew(told, before, time.time()))


def bucket_rules(client: Any, bucket: str, prefix: str) -> BucketRules:
    """What is set for the bucket; a store that doesn't know or show a setting leaves it None."""
    lifecycle = _told(lambda: client.get_bucket_lifecycle_configuration(Bucket=bucket), "NoSuchLifecycleConfiguration")
    versioning = _told(lambda: client.get_bucket_versioning(Bucket=bucket))
    lock = _told(lambda: client.get_object_lock_configuration(Bucket=bucket), "ObjectLockConfigurationNotFoundError")
    return BucketRules(
        abort_rules=None if lifecycle is None else _abort_rules(lifecycle.get("Rules", ()), prefix),
        versioned=None if versioning is None else versioning.get("Status") == "Enabled",
        locked=None if lock is None else lock.get("ObjectLockConfiguration", {}).get("ObjectLockEnabled") == "Enabled",
    )


def _told(ask: Callable[[], Any], nothing_set: str = "") -> Any:
    try:
        return ask()
    except boto.ClientError as error:
        return {} if nothing_set and error.response.get("Error", {}).get("Code") == nothing_set else None
    except (boto.BotoCoreError, BridgeError):
        return None


def _abort_rules(rules: Sequence[Any], prefix: str) -> list[AbortRule]:
    """Those in force for keys under ``prefix``: rules with tags never abort uploads, which have none."""
    found = []
    for rule in rules:
        days = rule.get("AbortIncompleteMultipartUpload", {}).get("DaysAfterInitiation")
        of = str(rule.get("Filter", {}).get("Prefix") or rule.get("Prefix") or "")
        if days and rule.get("Status") == "Enabled" and (prefix.startswith(of) or of.startswith(prefix)):
            found.append(AbortRule(str(rule.get("ID", "without a name")), int(days)))
    return found


def _skew(response: Any, before: float, after: float) -> float | None:
    date = _header(response, "date")
    if date is None:
        return None
    try:
        told = parsedate_to_datetime(date)
    except ValueError:
        return None
    seconds = (told if told.tzinfo else told.replace(tzinfo=timezone.utc)).timestamp()
    # The header has whole seconds, and the answer was made at some time between.
    return 0.0 if before - 1 <= seconds <= after + 1 else seconds - (before + after) / 2


def _header(response: Any, name: str) -> str | None:
    headers: dict[str, str] = response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    return headers.get(name)
