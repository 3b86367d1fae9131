"""The store of a table, with the settings that a job's writers get: asked once, then judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from partition_bridge.doctor import store_judgement as judge
from partition_bridge.doctor.finding import Finding, State, fail, ok, skip
from partition_bridge.doctor.python import Interpreter
from partition_bridge.doctor.set_up import SetUp
from partition_bridge.doctor.store_rights import try_rights
from partition_bridge.errors import BridgeError
from partition_bridge.store.conditional import Conditional
from partition_bridge.store.s3 import open_store
from partition_bridge.store.s3_client import connect
from partition_bridge.store.s3_look import bucket_rules, first_look
from partition_bridge.store_settings import StoreSettings

#: A person waits: a store that is away is told after the second try.
_ATTEMPTS = 2


@dataclass(frozen=True)
class Table:
    """Where a table lies; ``prefix`` without slashes around it. ``scheme``: s3 or s3a."""

    scheme: str
    bucket: str
    prefix: str

    @property
    def root(self) -> str:
        """As Flink chooses the file system by it."""
        return f"{self.scheme}://{self.bucket}"


def examine_store(found: SetUp, table: Table, interpreter: Interpreter) -> Iterator[Finding]:
    """Settings, then the answer to one request, then rights and rules."""
    yield judge.judge_settings(found)
    store = found.store
    if store is None:
        return
    try:
        client = connect(store, 1, attempts=_ATTEMPTS)
    except BridgeError as wrong:
        yield fail(
            "credentials", str(wrong), "correct the S3 keys of Flink's configuration, or give this machine a role or a profile"
        )
        return
    prefix = f"{table.prefix}/" * bool(table.prefix)
    answer = first_look(client, store.access_point or table.bucket, prefix)
    first = [
        judge.judge_endpoint(answer, store),
        judge.judge_credentials(answer),
        judge.judge_clock(answer),
        judge.judge_region(answer, store),
        judge.judge_bucket(answer, table.bucket),
    ]
    if not answer.reached:
        yield from (each for each in first[:2] if each.state is not State.OK)
        yield skip("the store", "nothing else can be asked of it")
        return
    yield from first
    if any(each.state is State.FAIL for each in first):
        yield skip("rights and rules", "the failure above comes first")
        return
    yield _listing(answer.error)
    rules = bucket_rules(client, store.access_point or table.bucket, prefix)
    yield from try_rights(open_store(store, "off", 1, Conditional.ON), table.bucket, table.prefix, rules)
    yield _checksums(store, interpreter)
    yield judge.judge_rules(rules, found.checkpoints)
    yield judge.judge_versions(rules)


def _listing(error: str | None) -> Finding:
    if error is not None:
        return fail("list", error, "allow s3:ListBucket on the bucket, for reading, read-back of what is missing, and `verify`")
    return ok("list", "allowed")


def _checksums(store: StoreSettings, interpreter: Interpreter) -> Finding:
    """What 'sink.upload.checksum' = 'auto' comes to with the writers' Python."""
    on_aws = store.endpoint is None or "amazonaws.com" in store.endpoint
    has = "awscrt" in (interpreter.packages or {})
    if on_aws and has:
        return ok("checksums", "'auto' sends CRC64NVME")
    why = "the writers' Python has no awscrt" if on_aws else "the store isn't AWS"
    return ok("checksums", f"'auto' sends none, since {why}")
