"""Makes the files of one batch INSERT visible at its end, so that any repetition does no harm (docs/batch.md).

    entries of all writers ──► list ──► removals ──► completions ──► told; after the policies: the list goes
                               │ ▲
           written before the  ▼ │ a rerun finds it: then it holds, and the entries given this time don't count
           first deed      .bridge-insert-<id>

Nothing but what the list names is removed, and all of that was visible before the first deed: a rerun, or a process that was taken for
dead, never removes what came later (I10). S3 has no step that does all at once: a reader may see a part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor

from partition_bridge import insert_list
from partition_bridge.commit import Committer
from partition_bridge.each import each
from partition_bridge.entries import Entry
from partition_bridge.errors import PreconditionFailed, ProtocolViolation, Retry
from partition_bridge.faultpoint import Reach
from partition_bridge.frames import Insert, Overwrite
from partition_bridge.insert_list import InsertList
from partition_bridge.names import LIST_OF_INSERT
from partition_bridge.store.protocol import Store

Summary = dict[str, object]


class InsertCommit:
    """Commits inserts into the table under ``prefix`` (no slash at its ends). ``pool`` runs the requests; ``warn`` is for people."""

    def __init__(
        self,
        store: Store,
        committer: Committer,
        pool: Executor,
        bucket: str,
        prefix: str,
        reach: Reach,
        warn: Callable[[str], None],
    ) -> None:
        self._store, self._committer, self._pool = store, committer, pool
        self._bucket = bucket
        self._table = f"{prefix}/" if prefix else ""
        self._reach, self._warn = reach, warn
        self._key = ""

    def run(self, insert: Insert, given: list[Entry]) -> Summary:
        """Returns when all files are visible; the list is still there, for a rerun while the policies are at work.

        Raises the first error of all requests, after every other one was tried.
        """
        for entry in given:
            if entry.bucket != self._bucket or not entry.key.startswith(self._table) or insert.id not in entry.key:
                raise ProtocolViolation(
                    f"the file {entry.key} isn't of insert {insert.id} into s3://{self._bucket}/{self._table}"
                )
        self._key = f"{self._table}{LIST_OF_INSERT}{insert.id}"
        plan, found = self._plan(insert, given)
        self._reach("insert-listed", key=self._key, files=len(plan.files), removals=len(plan.remove))
        self._remove(insert, plan)
        self._reach("insert-removed", key=self._key)
        replay = found or insert.rerun
        each(self._pool, lambda entry: self._committer.complete(entry, replay=replay), plan.files)
        self._reach("insert-completed", key=self._key)
        return {
            "partitions": sorted({entry.partition for entry in plan.files}),
            "files": len(plan.files),
            "bytes": sum(entry.size for entry in plan.files),
            "rows": sum(entry.rows for entry in plan.files),
        }

    def end(self) -> None:
        """Every policy has run: nothing is left to be repeated."""
        self._reach("insert-before-end", key=self._key)
        self._store.delete(self._bucket, self._key)
        self._reach("insert-after-end", key=self._key)

    def _plan(self, insert: Insert, given: list[Entry]) -> tuple[InsertList, bool]:
        """The list that holds, and whether it was found."""
        plan = self._found()
        if plan is None:
            plan = InsertList(tuple(self._doomed(insert, given)), tuple(given))
            self._reach("insert-before-list", key=self._key)
            try:
                repeated = self._store.put(self._bucket, self._key, insert_list.encode(plan), {}, only_if_absent=True) > 0
            except PreconditionFailed:
                # Of another attempt, or of this one's first try, whose answer was lost.
                plan = self._found()
                if plan is None:
                    raise Retry(
                        f"another attempt has just committed insert {insert.id}; a restart looks what is left to do"
                    ) from None
            else:
                # The yes to a repetition is no proof, and without its list a commit that dies isn't gone on with.
                if repeated and self._found() != plan:
                    raise Retry(
                        f"the list of insert {insert.id} isn't there, though the store says so; a restart writes it again"
                    )
                return plan, False
        self._drop_unlisted(plan, given)
        return plan, True

    def _found(self) -> InsertList | None:
        content = self._store.get(self._bucket, self._key)
        return None if content is None else insert_list.decode(content)

    def _doomed(self, insert: Insert, given: list[Entry]) -> Iterator[str]:
        """Announcements of what is overwritten first: nothing half overwritten may be announced (I5)."""
        own = {entry.key for entry in given}
        folders = {f"{self._table}{entry.partition}" for entry in given}
        overwritten = {Overwrite.NOTHING: set(), Overwrite.ITS_PARTITIONS: folders, Overwrite.THE_TABLE: {self._table}}[
            insert.overwrite
        ]
        if insert.success_file:
            yield from (f"{folder}{insert.success_file}" for folder in sorted(overwritten))
        others = set(self._visible_of(insert, given))
        for folder in overwritten:
            others.update(self._visible_in(folder))
        yield from sorted(others - own)

    def _visible_of(self, insert: Insert, given: list[Entry]) -> Iterator[str]:
        """Objects of an earlier attempt's list that is gone by now; on a first attempt there is none but after a JobManager's end."""
        starts = {self._table} if insert.rerun else {_up_to(entry.key, insert.id) for entry in given}
        for start in sorted(starts):
            for found in self._store.list_objects(self._bucket, start):
                if insert.id in _name(found.key) and found.key != self._key:
                    yield found.key

    def _visible_in(self, folder: str) -> Iterator[str]:
        """What Flink's PartitionLoader removes: all below the folder but for what is hidden in it."""
        for found in self._store.list_objects(self._bucket, folder):
            name = found.key.removeprefix(folder)
            if name and not name.startswith(("_", ".")):
                yield found.key

    def _remove(self, insert: Insert, plan: InsertList) -> None:
        announcements = [key for key in plan.remove if _name(key) == insert.success_file]
        files = [key for key in plan.remove if _name(key) != insert.success_file]
        for keys in (announcements, files):
            each(self._pool, lambda key: self._store.delete(self._bucket, key), keys)

    def _drop_unlisted(self, plan: InsertList, given: list[Entry]) -> None:
        """A writer ran again after the list was written: no one will ever complete what it uploaded, and no one else can name it."""
        listed = {entry.key for entry in plan.files}
        unlisted = [entry for entry in given if entry.key not in listed]
        if unlisted:
            self._warn(f"{len(unlisted)} files that were written again aren't used: an earlier attempt to commit them goes on")
        for entry in unlisted:
            if entry.upload_id is not None:
                self._store.abort(entry.bucket, entry.key, entry.upload_id)


def _name(key: str) -> str:
    return key.rpartition("/")[2]


def _up_to(key: str, part: str) -> str:
    return key[: key.index(part) + len(part)]
