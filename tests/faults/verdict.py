"""What must be true when a case is over: the fault struck, the job failed as it may, and the store holds what it must (DESIGN: the audit)."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from partition_bridge import entries
from partition_bridge.audit import TablePath, audit
from partition_bridge.orphans import abort, orphans
from tests.faults.bench import BUCKET, Lake
from tests.faults.case import UNHARMED, Case
from tests.faults.job import Job
from tests.support.faultproxy import FOR_EVER


@dataclass(frozen=True)
class Evidence:
    """What a case that passed has shown."""

    firings: tuple[dict[str, Any], ...]
    failures: tuple[str, ...]
    orphans: int
    struck: int


def judge(case: Case, job: Job, lake: Lake, firings: list[dict[str, Any]], struck: list[str]) -> Evidence:
    """Raises AssertionError with all that's needed to see why."""
    _struck(case, firings, struck)
    _failed_as_expected(case, job)
    _kept_secrets(job, lake)
    _left_foreign_alone(case, job, lake)
    open_ = _audited(case, job, lake)
    return Evidence(tuple(firings), tuple(f"{f.kind}: {f.message}" for f in job.failures), open_, len(firings) + len(struck))


def _struck(case: Case, firings: list[dict[str, Any]], struck: list[str]) -> None:
    seen = Counter((line["call"], line["outcome"], line["side"]) for line in firings)
    for rule in case.rules:
        times = seen[rule.call, rule.outcome, rule.side]
        assert times > 0, f"the fault never fired: {rule}; what did: {dict(seen)}"
        assert rule.times in (FOR_EVER, times), f"{rule} fired {times} times"
    if case.flavour:
        wanted = {(call, f"flavour {case.flavour}", "before") for call in case.due}
        if case.parts:
            wanted = {("CompleteMultipartUpload", f"flavour {case.flavour} takes {case.parts} parts", "before")}
        assert wanted & seen.keys(), f"the store's own way was never met: {wanted}; what was: {dict(seen)}"
    assert all(line["request"] for line in firings), f"a firing without a request id: {firings}"
    if case.blow is not None or case.deed:
        assert struck, f"the fault never struck: {case.id}"


def _failed_as_expected(case: Case, job: Job) -> None:
    said = [f"attempt {each.attempt}: {each.kind}: {each.message}" for each in job.failures]
    first = job.failures[0].kind if job.failures else UNHARMED
    assert first in case.expect.first, f"the job may fail as {sorted(case.expect.first)}, was {first}: {said}"
    if first == UNHARMED:
        return
    absent = [word for word in case.expect.says if word not in job.failures[0].message]
    assert not absent, f"the message lacks {absent}: {said}"
    if case.expect.lost:
        assert len(job.failures) > 1, f"a loss is said at each restart: {said}"
        assert {each.kind for each in job.failures} == {"fail"}, f"and never as anything else: {said}"
    else:
        assert len(job.failures) == 1, f"without the fault the job recovers: {said}"


def _kept_secrets(job: Job, lake: Lake) -> None:
    words = [log.read_text(errors="replace") for log in job.logs] + [each.message for each in job.failures]
    assert not any(lake.server.secret_key in each for each in words), "a secret got out (I12)"


def _left_foreign_alone(case: Case, job: Job, lake: Lake) -> None:
    if case.deed != "foreign":
        return
    for entry in job.covered:
        if entry.upload_id is not None:
            there = lake.store.head(BUCKET, entry.key)
            assert there is not None, "the other object is left as it is (I10)"
            assert there.metadata.get("owner") == "somebody", f"it was overwritten (I10): {there}"
            lake.store.delete(BUCKET, entry.key)


def _audited(case: Case, job: Job, lake: Lake) -> int:
    """(a), (d) and (e) of the audit; the number of orphans that the tool found and took away."""
    pending = [entries.decode(each) for each in job.state] if case.expect.lost else []
    named = {(entry.key, entry.upload_id) for entry in pending if entry.upload_id is not None}
    left = orphans(lake.store, BUCKET, job.prefix, named)
    abort(lake.store, BUCKET, left)
    table = TablePath(BUCKET, job.prefix, ("day",), data_format=job.data_format)
    audit(
        lake.server.client(),
        table,
        _expected(case, job),
        committed=(),
        allowed_uploads=[upload for _, upload in named],
    )
    # The next case finds the disk as this one did.
    for found in lake.store.list_objects(BUCKET, f"{job.prefix}/"):
        lake.store.delete(BUCKET, found.key)
    return len(left)


def _expected(case: Case, job: Job) -> pa.Table:
    """The rows of all epochs; where the large file is lost, what else its checkpoint covers."""
    files = [file for epoch in job.epochs for file in epoch]
    if case.expect.lost:
        files = [file for epoch in job.epochs[: job.epoch] for file in epoch if file.rows is not job.bench.large]
    tables = [
        pa.Table.from_batches([file.rows]).append_column("day", pa.array([file.partition[4:-1]] * file.rows.num_rows))
        for file in files
    ]
    empty = pa.schema([*job.bench.large.schema, pa.field("day", pa.string())]).empty_table()
    return pa.concat_tables([empty, *tables])
