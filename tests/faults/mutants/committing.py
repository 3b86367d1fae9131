"""Mutants of completions: when they begin, what proves them, and what their failure means. Each function changes the product in this process."""

from typing import Any


def no_read_back() -> None:
    """Whatever a completion answered, the object is taken to be there."""
    from partition_bridge.commit import Committer
    from partition_bridge.readback import Found

    Committer._look = lambda self, entry: Found.OURS


def size_only() -> None:
    """An object of the right size is taken for ours."""
    from partition_bridge import readback
    from partition_bridge.commit import Committer

    def classify(entry: Any, there: Any) -> readback.Found:
        if there is None:
            return readback.Found.ABSENT
        return readback.Found.OURS if there.size == entry.size else readback.Found.OTHER

    Committer._look.__globals__["classify"] = classify


def no_tail() -> None:
    """Inline files are never written."""
    from partition_bridge.commit import Committer

    publish = Committer._publish
    Committer._publish = lambda self, entry: publish(self, entry) if entry.upload_id else 0


def open_tail_unsent() -> None:
    """A restored file that was open is completed with the parts that it had, and nobody looks at its size."""
    from partition_bridge import readback
    from partition_bridge.commit import Committer

    def classify(_: Any, there: Any) -> readback.Found:
        return readback.Found.ABSENT if there is None else readback.Found.OURS

    Committer._tail_part = lambda self, entry, upload_id: ()
    Committer._look.__globals__["classify"] = classify


def no_such_upload_is_success() -> None:
    """NoSuchUpload is taken to mean: completed before."""
    from partition_bridge.commit import Committer
    from partition_bridge.errors import NoSuchUpload

    publish = Committer._publish

    def lenient(self: Committer, entry: Any) -> int:
        try:
            return publish(self, entry)
        except NoSuchUpload:
            return 0

    Committer._publish = lenient
    trusting()


def trusting() -> None:
    """A restart is a first try: it doesn't look, and takes a yes for a yes."""
    from partition_bridge.commit import Committer

    complete = Committer.complete
    Committer.complete = lambda self, entry, replay: complete(self, entry, False)


def overwrites() -> None:
    """Completions are unconditional and a restart doesn't look first: whatever lies under the key is replaced."""
    from partition_bridge.store.s3 import S3Store

    call = S3Store._call_if_absent
    S3Store._call_if_absent = lambda self, verb, only, *rest, **more: call(self, verb, False, *rest, **more)
    trusting()


def commit_errors_ignored() -> None:
    """A completion that failed is logged, and the file counts as visible."""
    from partition_bridge.commit import Committer, Outcome
    from partition_bridge.errors import BridgeError

    complete = Committer.complete

    def lenient(self: Committer, entry: Any, replay: bool) -> Outcome:
        try:
            return complete(self, entry, replay)
        except BridgeError:
            return Outcome.COMPLETED

    Committer.complete = lenient


def repeated_yes_trusted() -> None:
    """The yes to a repeated completion is taken for a yes to the first."""
    from partition_bridge.commit import Committer

    publish = Committer._publish

    def trusting(self: Committer, entry: Any) -> int:
        publish(self, entry)
        return 0

    Committer._publish = trusting


def commit_not_awaited() -> None:
    """`committed` is said when the completions have begun."""
    from partition_bridge.lifecycle import Visible
    from partition_bridge.process import WriterProcess

    def hasty(self: Any, file: int, entry: Any) -> None:
        self._desk.apply(file, Visible())
        self._committer.complete(entry, replay=False)

    WriterProcess._complete = hasty


def older_ignored() -> None:
    """A commit completes the files of its own checkpoint alone."""
    from partition_bridge.desk import Desk
    from partition_bridge.lifecycle import CommitAsked, Phase

    def only(self: Desk) -> None:
        for checkpoint in self._checkpoints.due():
            if checkpoint in self._commits:
                continue
            covered = [live for live in self._files.values() if live.state.checkpoint == checkpoint]
            self._commits[checkpoint] = ({live.number for live in covered}, [])
            for live in covered:
                if live.state.phase is Phase.PENDING:
                    self.apply(live.number, CommitAsked())
        self._finish_commits()

    Desk._start_due_commits = only


def before_checkpoint() -> None:
    """Files are completed at their barrier, before the checkpoint is."""
    from partition_bridge.desk import Desk

    passed = Desk.passed

    def early(self: Desk, checkpoint: int) -> None:
        passed(self, checkpoint)
        self.commit_asked(checkpoint)

    Desk.passed = early
