"""What is tried under a table's path, on a store that refuses single verbs: each right is told apart, and nothing is left."""

import pytest

from partition_bridge.doctor.finding import State
from partition_bridge.doctor.store_rights import try_rights
from partition_bridge.errors import Configuration
from partition_bridge.store.faulty import Fault, with_faults
from partition_bridge.store.memory import MemoryStore
from partition_bridge.store.s3_look import BucketRules

PLAIN = BucketRules([], versioned=False, locked=False)
ALWAYS = 99


def tried(*refused: str, rules: BucketRules = PLAIN) -> tuple[MemoryStore, dict[str, tuple[State, str]]]:
    """The store, and each finding's state and remedy, with these verbs refused."""
    store = MemoryStore("lake")
    faults = [Fault(verb, "before", ALWAYS, lambda: Configuration("Access Denied")) for verb in refused]
    found = try_rights(with_faults(store, *faults), "lake", "flights", rules)
    return store, {each.check: (each.state, each.remedy) for each in found}


def left(store: MemoryStore) -> list[object]:
    """Objects and uploads."""
    return [*store.list_objects("lake", ""), *store.list_uploads("lake", "")]


def test_all_rights_are_ok_and_nothing_is_left() -> None:
    """A healthy store gives no warning."""
    store, found = tried()
    assert {check: state for check, (state, _) in found.items()} == dict.fromkeys(
        ("multipart", "list uploads", "delete", "put", "conditional writes"), State.OK
    )
    assert not left(store)


@pytest.mark.parametrize(
    ("verb", "check", "state", "permission"),
    [
        ("create", "multipart", State.FAIL, "s3:PutObject"),
        ("upload_part", "multipart", State.FAIL, "s3:PutObject"),
        ("abort", "multipart", State.FAIL, "s3:AbortMultipartUpload"),
        ("list_uploads", "list uploads", State.WARN, "s3:ListBucketMultipartUploads"),
        ("delete", "delete", State.WARN, "s3:DeleteObject"),
        ("put", "put", State.FAIL, "s3:PutObject"),
        ("head", "put", State.FAIL, "s3:GetObject"),
    ],
)
def test_a_right_that_is_missing_is_named(verb: str, check: str, state: State, permission: str) -> None:
    """What a job needs is a failure; what only a command or an option needs, a warning."""
    _, found = tried(verb)
    told, remedy = found[check]
    assert told is state, found
    assert permission in remedy, "what to allow"


def test_parts_need_not_be_listed() -> None:
    """No job and no command lists an upload's parts: a policy without that right is whole."""
    _, found = tried("list_parts")
    assert all(state is State.OK for state, _ in found.values()), found


def test_without_the_right_to_delete_nothing_is_put() -> None:
    """A trial that couldn't be removed would stay for ever."""
    store, found = tried("delete")
    assert [found[check][0] for check in ("put", "conditional writes")] == [State.SKIP] * 2
    assert not left(store)


@pytest.mark.parametrize("rules", [BucketRules([], versioned=True, locked=False), BucketRules([], versioned=None, locked=True)])
def test_in_a_bucket_that_keeps_versions_nothing_is_put(rules: BucketRules) -> None:
    """Removing it would leave a version."""
    store, found = tried("put", rules=rules)
    assert [found[check][0] for check in ("put", "conditional writes")] == [State.SKIP] * 2
    assert not left(store)


def test_a_trial_that_fails_half_way_leaves_no_upload() -> None:
    """A part is refused, the upload is aborted all the same."""
    store, _ = tried("upload_part")
    assert not left(store)
