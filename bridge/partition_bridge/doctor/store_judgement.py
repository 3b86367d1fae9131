"""What answers and rules of a bucket mean to a job. Pure."""

from __future__ import annotations

from partition_bridge.doctor.finding import Finding, fail, ok, skip, warn
from partition_bridge.doctor.set_up import Checkpoints, SetUp
from partition_bridge.store.s3_look import Answer, BucketRules
from partition_bridge.store_settings import StoreSettings

_DAY_MS = 86_400_000
#: A stop over a weekend and a holiday: within it a job should find its uploads again.
_COMFORTABLE_DAYS = 7
#: S3 refuses requests from 15 minutes on.
_MOST_SKEW_S = 900
_NOTED_SKEW_S = 300

_NO_BUCKET = frozenset({"NoSuchBucket", "InvalidBucketName"})
_NO_CREDENTIALS = frozenset(
    {
        "InvalidAccessKeyId",
        "XAdminUserNotFound",  # versitygw's word for it
        "SignatureDoesNotMatch",
        "InvalidToken",
        "ExpiredToken",
        "ExpiredTokenException",
        "TokenRefreshRequired",
    }
)
_ELSEWHERE = frozenset(
    {"AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException", "TemporaryRedirect"}
)
_SKEWED = "RequestTimeTooSkewed"


def judge_settings(found: SetUp) -> Finding:
    """What the shim has made of Flink's S3 keys; secrets are never shown."""
    check = "store settings"
    if found.store is None:
        return fail(check, str(found.store_error), "correct the S3 keys of Flink's configuration (docs/store-keys.md)")
    told = _told(found.store)
    if found.fallback is not None:
        key, remedy = found.fallback
        return warn(check, f"'{key}' makes Flink's own sink write the table; {told}", remedy)
    return ok(check, told)


def _told(store: StoreSettings) -> str:
    place = store.endpoint or "AWS"
    who = "keys of Flink's configuration" if store.access_key else ", ".join(store.providers or ["AWS's default chain"])
    style = "path style" if store.path_style else "virtual-host style"
    parts = [place, f"region {store.region}", style, f"credentials: {who}"]
    return ", ".join(parts + ([f"role {store.role.arn}"] if store.role else []) + (["through a proxy"] if store.proxy else []))


def judge_endpoint(answer: Answer, store: StoreSettings) -> Finding:
    """Whether anything answered."""
    check = "endpoint"
    if answer.reached:
        return ok(check, f"{store.endpoint or 'AWS'} answers")
    if answer.error is not None and "no usable credentials" in answer.error:
        return skip(check, "without credentials it isn't asked")
    return fail(
        check,
        str(answer.error),
        "correct 's3.endpoint' (scheme, host and port; 's3.path.style.access' = 'true' for stores without a host for each bucket), "
        "and see that this machine may connect to it",
    )


def judge_clock(answer: Answer) -> Finding:
    """S3 refuses signatures that are 15 minutes off."""
    check = "clock"
    if answer.skew_s is None:
        return skip(check, "the store tells no time")
    told = f"{abs(answer.skew_s):.0f} s {'behind' if answer.skew_s > 0 else 'ahead of'} the store's"
    remedy = "set this machine's clock, by NTP"
    if answer.code == _SKEWED or abs(answer.skew_s) >= _MOST_SKEW_S:
        return fail(check, f"{told}: it refuses requests from 15 minutes on", remedy)
    if abs(answer.skew_s) >= _NOTED_SKEW_S:
        return warn(check, f"{told}; at 15 minutes it refuses all requests", remedy)
    return ok(check, "as the store's" if not answer.skew_s else told)


def judge_region(answer: Answer, store: StoreSettings) -> Finding:
    """The signature names a region, and it has to be the bucket's."""
    check = "region"
    wrong = answer.code in _ELSEWHERE
    if wrong or (answer.region and store.region and answer.region != store.region):
        there = f"the bucket is in {answer.region}" if answer.region else "the bucket is in another region"
        where = answer.region or "the bucket's region"
        found = f"{there}, and Flink's configuration says {store.region}"
        return fail(check, found, f"set 's3.region' to {where}")
    return ok(check, f"{store.region}") if answer.code != _SKEWED else skip(check, "the clock comes first")


def judge_credentials(answer: Answer) -> Finding:
    """Whether the store knows who asks; what they may do comes later."""
    check = "credentials"
    if answer.error is not None and ("no usable credentials" in answer.error or answer.code in _NO_CREDENTIALS):
        return fail(
            check,
            answer.error,
            "correct 's3.access-key' and 's3.secret-key' of Flink's configuration, or give this machine a role or a profile",
        )
    return ok(check, "known to the store")


def judge_bucket(answer: Answer, bucket: str) -> Finding:
    """Whether it's there."""
    if answer.code in _NO_BUCKET:
        return fail("bucket", f"there is no bucket {bucket}", "create it, or correct the table's path or 's3.endpoint'")
    return ok("bucket", bucket)


def judge_rules(rules: BucketRules, checkpoints: Checkpoints) -> Finding:
    """A rule that aborts uploads must leave those that a checkpoint names (I6)."""
    check = "incomplete uploads"
    if rules.abort_rules is None:
        return skip(check, "the store doesn't show the bucket's lifecycle rules (s3:GetLifecycleConfiguration)")
    if not rules.abort_rules:
        return ok(check, "no rule aborts them; after kills run `partition-bridge orphans`")
    shortest = min(rules.abort_rules, key=lambda each: each.days)
    kept_ms = (checkpoints.interval_ms or 0) * checkpoints.retained + checkpoints.timeout_ms
    found = f"rule '{shortest.name}' aborts uploads after {shortest.days} {'day' if shortest.days == 1 else 'days'}"
    if shortest.days * _DAY_MS <= kept_ms:
        return fail(
            check,
            f"{found}, and retained checkpoints are up to {kept_ms / _DAY_MS:.1f} days old: they couldn't be restored",
            f"give the rule more than {kept_ms // _DAY_MS + 1} days, and more than your oldest savepoint has",
        )
    if shortest.days < _COMFORTABLE_DAYS:
        return warn(
            check,
            f"{found}: a job that stands still for longer, or an older savepoint, can't be restored without loss",
            f"give the rule at least {_COMFORTABLE_DAYS} days, and more than your oldest savepoint has",
        )
    return ok(check, f"{found}; no savepoint may be older")


def judge_versions(rules: BucketRules) -> Finding:
    """Both cost space, and neither harms."""
    check = "versions"
    if rules.locked:
        return ok(check, "object lock: bodies go with a Content-MD5; what INSERT OVERWRITE replaces stays as an older version")
    if rules.versioned:
        return ok(check, "versioning: what INSERT OVERWRITE replaces, and each earlier _SUCCESS, stays as an older version")
    if rules.versioned is None:
        return skip(check, "the store doesn't show whether it keeps them (s3:GetBucketVersioning)")
    return ok(check, "none are kept")
