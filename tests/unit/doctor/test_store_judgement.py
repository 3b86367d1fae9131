"""What answers and rules of a bucket mean to a job: judged by values."""

import pytest

from partition_bridge.doctor.finding import State
from partition_bridge.doctor.set_up import Checkpoints
from partition_bridge.doctor.store_judgement import (
    judge_bucket,
    judge_clock,
    judge_credentials,
    judge_endpoint,
    judge_region,
    judge_rules,
    judge_versions,
)
from partition_bridge.store.s3_look import AbortRule, Answer, BucketRules
from partition_bridge.store_settings import StoreSettings

STORE = StoreSettings(
    endpoint=None, region="eu-west-1", path_style=False, access_key=None, secret_key=None, session_token=None, aws_environment={}
)
YES = Answer(reached=True, region="eu-west-1", skew_s=0.0)
HOURLY = Checkpoints(interval_ms=3_600_000, timeout_ms=600_000, retained=3)


def refused(code: str, skew_s: float | None = 0.0) -> Answer:
    """An answer of S3 that says no."""
    return Answer(reached=True, code=code, error=f"refused: {code}", skew_s=skew_s)


def test_a_yes_has_nothing_to_mend() -> None:
    """Everything that one answer tells is as it should be."""
    judged = [
        judge_endpoint(YES, STORE),
        judge_credentials(YES),
        judge_clock(YES),
        judge_region(YES, STORE),
        judge_bucket(YES, "b"),
    ]
    assert [each.state for each in judged] == [State.OK] * 5, judged
    assert not any(each.remedy for each in judged), "there is nothing to mend"


@pytest.mark.parametrize(
    ("skew_s", "state"),
    [(0.0, State.OK), (299.0, State.OK), (-299.0, State.OK), (300.0, State.WARN), (-300.0, State.WARN), (899.0, State.WARN), (900.0, State.FAIL), (-900.0, State.FAIL), (None, State.SKIP)],
)  # fmt: skip
def test_a_clock_is_noted_at_five_minutes_and_wrong_at_fifteen(skew_s: float | None, state: State) -> None:
    """In both directions; a store that tells no time isn't guessed at."""
    assert judge_clock(Answer(reached=True, skew_s=skew_s)).state is state


def test_a_store_that_refuses_the_time_is_believed() -> None:
    """Also where its Date header says otherwise, which a proxy may have written; and the region isn't judged by that answer."""
    answer = refused("RequestTimeTooSkewed", skew_s=10.0)
    assert judge_clock(answer).state is State.FAIL
    assert judge_region(answer, STORE).state is State.SKIP, "the signature wasn't even looked at"


def test_a_slow_clock_and_a_fast_one_are_told_apart() -> None:
    """Which of the two to set is the first question at night."""
    assert judge_clock(Answer(reached=True, skew_s=600.0)).found.startswith("600 s behind the store's")
    assert judge_clock(Answer(reached=True, skew_s=-600.0)).found.startswith("600 s ahead of the store's")


@pytest.mark.parametrize("code", ["AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException"])
def test_a_bucket_elsewhere_is_a_failure_without_its_name_too(code: str) -> None:
    """S3 doesn't always say where the bucket is."""
    judged = judge_region(refused(code), STORE)
    assert (judged.state, judged.found) == (
        State.FAIL,
        "the bucket is in another region, and Flink's configuration says eu-west-1",
    )


def test_a_region_that_the_store_names_is_the_remedy() -> None:
    """boto3 follows a redirect by itself: so a yes may come from another region."""
    judged = judge_region(Answer(reached=True, region="us-east-1"), STORE)
    assert (judged.state, judged.remedy) == (State.FAIL, "set 's3.region' to us-east-1")


@pytest.mark.parametrize("code", ["InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken"])
def test_credentials_that_the_store_refuses_are_a_failure(code: str) -> None:
    """Of any kind; an AccessDenied is no matter of credentials but of rights."""
    assert judge_credentials(refused(code)).state is State.FAIL
    assert judge_credentials(refused("AccessDenied")).state is State.OK


def test_an_endpoint_that_was_not_asked_is_not_blamed() -> None:
    """Without credentials no request is sent."""
    unasked = Answer(reached=False, error="no usable credentials (Unable to locate credentials)")
    assert judge_endpoint(unasked, STORE).state is State.SKIP
    assert judge_credentials(unasked).state is State.FAIL
    assert judge_endpoint(Answer(reached=False, error="Could not connect"), STORE).state is State.FAIL


@pytest.mark.parametrize("code", ["NoSuchBucket", "InvalidBucketName"])
def test_a_bucket_that_is_not_there_is_a_failure(code: str) -> None:
    """With its name, since that is where the typing error is."""
    judged = judge_bucket(refused(code), "lakes")
    assert (judged.state, judged.found) == (State.FAIL, "there is no bucket lakes")


def rules(*days: int) -> BucketRules:
    """A bucket with a rule for each of these ages."""
    return BucketRules([AbortRule(f"after-{each}", each) for each in days], versioned=False, locked=False)


@pytest.mark.parametrize(
    ("days", "checkpoints", "state"),
    [
        ((), HOURLY, State.OK),
        ((7,), HOURLY, State.OK),
        ((6,), HOURLY, State.WARN),
        ((30, 1), HOURLY, State.WARN),
        # 24 hours kept, and the timeout of the youngest: a day is too short.
        ((1,), Checkpoints(28_800_000, 600_000, 3), State.FAIL),
        ((2,), Checkpoints(28_800_000, 600_000, 3), State.WARN),
        ((7,), Checkpoints(604_800_000, 600_000, 1), State.FAIL),
        # A job may set its own interval: then the timeout alone is known.
        ((1,), Checkpoints(None, 600_000, 1), State.WARN),
    ],
)
def test_a_rule_must_leave_the_uploads_of_retained_checkpoints(
    days: tuple[int, ...], checkpoints: Checkpoints, state: State
) -> None:
    """The shortest rule counts: a failure within the checkpoints' age, a warning within a week (I6)."""
    judged = judge_rules(rules(*days), checkpoints)
    assert judged.state is state, judged
    if days:
        assert f"rule 'after-{min(days)}'" in judged.found


def test_the_remedy_of_a_hasty_rule_is_longer_than_the_checkpoints_age() -> None:
    """Whoever follows it isn't told the same again."""
    checkpoints = Checkpoints(86_400_000, 600_000, 9)
    judged = judge_rules(rules(3), checkpoints)
    assert judged.remedy == "give the rule more than 10 days, and more than your oldest savepoint has"
    assert judge_rules(rules(11), checkpoints).state is State.OK


def test_what_the_store_does_not_show_is_not_judged() -> None:
    """No rule and no answer are different things."""
    silent = BucketRules(abort_rules=None, versioned=None, locked=None)
    for judged, permission in (
        (judge_rules(silent, HOURLY), "s3:GetLifecycleConfiguration"),
        (judge_versions(silent), "s3:GetBucketVersioning"),
    ):
        assert judged.state is State.SKIP
        assert permission in judged.found, "what would have to be allowed"


@pytest.mark.parametrize(
    ("versioned", "locked", "word"), [(True, True, "object lock"), (True, False, "versioning"), (False, False, "none")]
)
def test_versions_cost_space_and_do_no_harm(versioned: bool, locked: bool, word: str) -> None:
    """Told, and never a warning."""
    judged = judge_versions(BucketRules([], versioned, locked))
    assert judged.state is State.OK
    assert judged.found.startswith(word)
