"""Completes the entries of a restored checkpoint: that checkpoint is complete by definition, so all of them are due (I2, I3)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor

from partition_bridge import entries
from partition_bridge.commit import Committer, Outcome
from partition_bridge.each import each
from partition_bridge.errors import UploadMissing

Summary = dict[str, list[dict[str, object]]]


class Restoration:
    """``skip_missing``: go on without a file whose upload is gone, and report it as skipped (sink.restore.missing-upload)."""

    def __init__(self, committer: Committer, pool: Executor, warn: Callable[[str], None], *, skip_missing: bool) -> None:
        self._committer = committer
        self._pool = pool
        self._skip_missing = skip_missing
        self._warn = warn
        self.entries: list[tuple[int, bytes]] = []

    def take(self) -> list[entries.Entry]:
        """All entries that came in, decoded: before anything is done with any (I7)."""
        decoded = [entries.decode(data) for _, data in self.entries]
        self.entries.clear()
        return decoded

    def run(self) -> Summary:
        """Returns when all are visible, in the order they came in.

        Raises the first error of all that can't be completed, after every other entry has been tried.
        """
        elements = [element for element, _ in self.entries]
        return {"files": each(self._pool, self._one, list(zip(elements, self.take(), strict=True)))}

    def _one(self, restored: tuple[int, entries.Entry]) -> dict[str, object]:
        element, entry = restored
        outcome = self._outcome(entry)
        return {"element": element, "key": entry.key, "outcome": outcome, "bytes": entry.size, "rows": entry.rows}

    def _outcome(self, entry: entries.Entry) -> str:
        if entry.state == "completed":
            return "already"
        try:
            outcome = self._committer.complete(entry, replay=True)
        except UploadMissing as missing:
            if not self._skip_missing:
                raise
            self._warn(f"skipped: {missing}")
            return "skipped"
        if outcome is Outcome.GROWN:
            self._warn(
                f"s3://{entry.bucket}/{entry.key} has more than the {entry.rows} rows that the restored state names: a later checkpoint has"
                " completed it. It stays as it is; its rows after the restored checkpoint will be read again and so be visible twice"
            )
        return outcome.value
