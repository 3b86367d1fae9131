"""Makes the object of a pending entry visible, so that any repetition does no harm (I2, I3, I10).

replay? ── HEAD ──ours──────────────────────────────► ALREADY
   │        ├──ours, and more than the open file held──► GROWN
   │        └──other──► ForeignObject
   ▼ absent, or first try
(tail of a file that was open: one more part) Complete / PUT with If-None-Match ──clear yes──(not the very first request: HEAD must find ours)──► COMPLETED
   │ unclear, NoSuchUpload, 412
   ▼
HEAD ──ours──► COMPLETED    ──other──► ForeignObject    ──no answer──► OutcomeUnknown
   │ absent
   ├── after an unclear answer: again, a bounded number of times, then Retry
   └── after NoSuchUpload, looked at again: UploadMissing
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from partition_bridge.checkpoints import END_OF_INPUT
from partition_bridge.counters import Tally
from partition_bridge.entries import Entry, Part
from partition_bridge.errors import BridgeError, NoSuchUpload, OutcomeUnknown, PreconditionFailed, StoreUnavailable, UploadMissing
from partition_bridge.faultpoint import Reach
from partition_bridge.names import TOKEN_METADATA
from partition_bridge.parts import RESTORED_TAIL_PART
from partition_bridge.readback import Found, classify, foreign
from partition_bridge.store.protocol import Store

_TRIES = 4


class Outcome(Enum):
    """How the object came to be visible."""

    COMPLETED = "completed"
    ALREADY = "already"
    GROWN = "grown"
    """The file was open at this checkpoint, and a later one has completed it with more rows."""


class Committer:
    """Completes entries in ``store``. ``clock`` gives epoch milliseconds; ``sleep`` takes seconds."""

    def __init__(self, store: Store, clock: Callable[[], int], sleep: Callable[[float], None], reach: Reach) -> None:
        self._store = store
        self._clock = clock
        self._sleep = sleep
        self._reach = reach
        #: Objects that were found to be visible by a look at the store, and not by its answer.
        self.recovered = Tally()

    def complete(self, entry: Entry, replay: bool) -> Outcome:
        """Returns once the object is visible. ``replay``: an earlier process may have tried this entry already.

        Raises ``UploadMissing``, ``ForeignObject``, ``OutcomeUnknown``, ``StoreUnavailable``, or what else the store refuses with.
        """
        stage = "restore" if replay else "commit"
        if replay and (found := self._look(entry)) is not Found.ABSENT:
            self.recovered.add()
            return Outcome.GROWN if found is Found.GROWN else Outcome.ALREADY
        trouble: BridgeError | None = None
        for attempt in range(_TRIES):
            if attempt:
                self._sleep(2.0**attempt / 2)
            self._reach(f"{stage}-before-complete", key=entry.key, upload_id=entry.upload_id)
            clear = proven = False
            try:
                repetitions = self._publish(entry)
                # A store may say yes to a repeated Complete from what it remembers of the first, though that had no effect or was
                # undone: versitygw 1.8.0 does where it was killed in the middle of it. Only the answer to a first request is a proof.
                clear, proven = True, not (replay or attempt or repetitions)
            except (StoreUnavailable, NoSuchUpload, PreconditionFailed) as unclear:
                trouble = unclear
            self._reach(f"{stage}-after-complete", key=entry.key, upload_id=entry.upload_id)
            if proven:
                return Outcome.COMPLETED
            if (found := self._look(entry)) is not Found.ABSENT:
                if not clear:
                    self.recovered.add()
                return Outcome.GROWN if found is Found.GROWN else Outcome.COMPLETED
        if trouble is None or isinstance(trouble, NoSuchUpload):
            raise self._missing(entry)
        raise StoreUnavailable(
            f"s3://{entry.bucket}/{entry.key} isn't visible after {_TRIES} tries, upload {entry.upload_id}; a restart tries again. Last answer: {trouble}"
        )

    def _publish(self, entry: Entry) -> int:
        if entry.upload_id is None:
            return self._store.put(entry.bucket, entry.key, entry.tail, {TOKEN_METADATA: entry.token}, only_if_absent=True)
        parts = (*entry.parts, *self._tail_part(entry, entry.upload_id))
        return self._store.complete(entry.bucket, entry.key, entry.upload_id, parts, only_if_absent=True)

    def _tail_part(self, entry: Entry, upload_id: str) -> tuple[Part, ...]:
        """The tail of a file that was open at its checkpoint, sent; under its own number a repetition sends the same bytes."""
        if not entry.tail:
            return ()
        sent = self._store.upload_part(entry.bucket, entry.key, upload_id, RESTORED_TAIL_PART, bytearray(entry.tail))
        self._reach("restore-tail-sent", key=entry.key, upload_id=upload_id)
        return (Part(RESTORED_TAIL_PART, len(entry.tail), sent.etag, sent.checksum),)

    def _look(self, entry: Entry) -> Found:
        try:
            there = self._store.head(entry.bucket, entry.key)
        except StoreUnavailable as silent:
            raise OutcomeUnknown(
                f"whether s3://{entry.bucket}/{entry.key} (upload {entry.upload_id}) is visible can't be told; a restart looks again. {silent}"
            ) from silent
        found = classify(entry, there)
        if found is Found.OTHER and there is not None:
            raise foreign(entry, there)
        return found

    def _missing(self, entry: Entry) -> UploadMissing:
        hours = max(0, self._clock() - entry.created_ms) / 3_600_000
        if entry.checkpoint == END_OF_INPUT:
            return UploadMissing(
                f"the upload {entry.upload_id} of s3://{entry.bucket}/{entry.key} is gone and no object is there: {entry.rows} rows, {entry.size} bytes, created "
                f"{hours:.1f} hours ago. Likely cause: a cleanup or the bucket's lifecycle rule AbortIncompleteMultipartUpload aborted it while the job ran. Run the "
                "statement again"
            )
        return UploadMissing(
            f"the upload {entry.upload_id} of s3://{entry.bucket}/{entry.key} is gone and no object is there: {entry.rows} rows, {entry.size} bytes of checkpoint "
            f"{entry.checkpoint}, created {hours:.1f} hours ago. Likely cause: the bucket's lifecycle rule AbortIncompleteMultipartUpload is shorter than the age of the "
            "checkpoint or savepoint, another cleanup aborted it, or the completed object was deleted. Restore a newer checkpoint, or set "
            "'sink.restore.missing-upload' = 'skip' to go on without these rows"
        )
