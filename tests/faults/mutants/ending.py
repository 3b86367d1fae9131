"""Mutants of how a writer ends. Each function changes the product in this process."""

from typing import Any


def abort_on_close() -> None:
    """An orderly close aborts every upload that isn't completed, as other sinks do."""
    from partition_bridge.desk import Desk

    def drop_all(self: Desk) -> None:
        for live in self._files.values():
            if live.state.upload_id:
                self.uploads.abort(live.key, live.state.upload_id)

    Desk.drop_unnamed = drop_all


def abort_on_error() -> None:
    """A writer that fails aborts its uploads on the way out."""
    from partition_bridge import process

    failed = process.WriterProcess._failed

    def untidy(self: Any, error: BaseException) -> None:
        for live in list(self._desk._files.values()):
            if live.state.upload_id:
                self._desk.uploads.abort(live.key, live.state.upload_id)
        failed(self, error)

    process.WriterProcess._failed = untidy


def publishes_on_exit() -> None:
    """A writer that fails completes what is pending, so that nothing is lost."""
    from partition_bridge import process

    failed = process.WriterProcess._failed

    def generous(self: Any, error: BaseException) -> None:
        desk = self._desk
        for live in list(desk._files.values()):
            if live.state.phase.value == "pending":
                self._committer._publish(live.entry(desk._bucket, desk._part_size, desk.encoder, desk.schema))
        failed(self, error)

    process.WriterProcess._failed = generous


def silent_death() -> None:
    """Errors of threads are logged and the writer goes on."""
    from partition_bridge import process

    process.WriterProcess._failed = lambda self, error: None
