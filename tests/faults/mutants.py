"""The harness can fail: named ways of getting the product wrong, each of which some case must notice.

A mutant is put into the writer's process before it starts (`tests.faults.launch`). `cases` are patterns of ids; the first case that fails kills it.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from partition_bridge.audit import AuditFailed
from tests.faults.bench import Bench
from tests.faults.matrix import cases
from tests.faults.run import Run


@dataclass(frozen=True)
class Mutant:
    """`apply` changes the product in this process."""

    apply: Callable[[], None]
    cases: tuple[str, ...]


def _no_read_back() -> None:
    """Whatever a completion answered, the object is taken to be there."""
    from partition_bridge.commit import Committer
    from partition_bridge.readback import Found

    Committer._look = lambda self, entry: Found.OURS


def _size_only() -> None:
    """An object of the right size is taken for ours."""
    from partition_bridge import readback
    from partition_bridge.commit import Committer

    def classify(entry: Any, there: Any) -> readback.Found:
        if there is None:
            return readback.Found.ABSENT
        return readback.Found.OURS if there.size == entry.size else readback.Found.OTHER

    Committer._look.__globals__["classify"] = classify


def _no_tail() -> None:
    """Inline files are never written."""
    from partition_bridge.commit import Committer

    publish = Committer._publish
    Committer._publish = lambda self, entry: publish(self, entry) if entry.upload_id else 0


def _before_checkpoint() -> None:
    """Files are completed at their barrier, before the checkpoint is."""
    from partition_bridge.desk import Desk

    passed = Desk.passed

    def early(self: Desk, checkpoint: int) -> None:
        passed(self, checkpoint)
        self.commit_asked(checkpoint)

    Desk.passed = early


def _no_such_upload_is_success() -> None:
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
    _trusting()


def _trusting() -> None:
    """A restart is a first try: it doesn't look, and takes a yes for a yes."""
    from partition_bridge.commit import Committer

    complete = Committer.complete
    Committer.complete = lambda self, entry, replay: complete(self, entry, False)


def _abort_on_close() -> None:
    """An orderly close aborts every upload that isn't completed, as other sinks do."""
    from partition_bridge.desk import Desk

    def drop_all(self: Desk) -> None:
        for live in self._files.values():
            if live.state.upload_id:
                self.uploads.abort(live.key, live.state.upload_id)

    Desk.drop_unnamed = drop_all


def _abort_on_error() -> None:
    """A writer that fails aborts its uploads on the way out."""
    from partition_bridge import process

    failed = process.WriterProcess._failed

    def untidy(self: Any, error: BaseException) -> None:
        for live in list(self._desk._files.values()):
            if live.state.upload_id:
                self._desk.uploads.abort(live.key, live.state.upload_id)
        failed(self, error)

    process.WriterProcess._failed = untidy


def _trailing_bytes() -> None:
    """Bytes after an entry's end, or missing before it, are overlooked."""
    from partition_bridge import entries
    from partition_bridge.errors import EntryRefused

    decode = entries.decode

    def lenient(data: bytes) -> entries.Entry:
        for end in range(len(data), 0, -1):
            try:
                return decode(data[:end])
            except EntryRefused:  # noqa: PERF203  # a mutant may be slow
                continue
        return decode(data)

    entries.decode = lenient


def _overwrites() -> None:
    """Completions are unconditional and a restart doesn't look first: whatever lies under the key is replaced."""
    from partition_bridge.store.s3 import S3Store

    call = S3Store._call_if_absent
    S3Store._call_if_absent = lambda self, verb, only, *rest, **more: call(self, verb, False, *rest, **more)
    _trusting()


def _commit_not_awaited() -> None:
    """`committed` is said when the completions have begun."""
    from partition_bridge.lifecycle import Visible
    from partition_bridge.process import WriterProcess

    def hasty(self: Any, file: int, entry: Any) -> None:
        self._desk.apply(file, Visible())
        self._committer.complete(entry, replay=False)

    WriterProcess._complete = hasty


def _part_errors_ignored() -> None:
    """A part that couldn't be sent counts as sent."""
    from partition_bridge.errors import BridgeError
    from partition_bridge.store.protocol import StoredPart
    from partition_bridge.store.s3 import S3Store

    upload = S3Store.upload_part

    def lenient(self: S3Store, *arguments: Any) -> StoredPart:
        try:
            return upload(self, *arguments)
        except BridgeError:
            return StoredPart('"lost"', None)

    S3Store.upload_part = lenient


def _commit_errors_ignored() -> None:
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


def _parts_not_awaited() -> None:
    """The state is given before the last part has its ETag, and names what there is."""
    from partition_bridge import lifecycle

    def hasty(state: lifecycle.FileState) -> lifecycle.Step:
        if state.phase is lifecycle.Phase.SEALED and state.checkpoint is not None and (state.stored or not state.cut):
            stored = tuple(part.size for part in state.stored)
            ready = replace(state, phase=lifecycle.Phase.PENDING, cut=stored)
            return ready, (lifecycle.AnnounceEntry(),)
        return state, ()

    late = lifecycle._STEPS[lifecycle.PartStored]
    phases = late[0] | {lifecycle.Phase.PENDING, lifecycle.Phase.COMPLETING}

    def stored(state: lifecycle.FileState, event: Any) -> lifecycle.Step:
        return (state, ()) if state.phase in (lifecycle.Phase.PENDING, lifecycle.Phase.COMPLETING) else late[1](state, event)

    lifecycle._settle = hasty
    lifecycle._STEPS[lifecycle.PartStored] = (phases, stored)


def _restores_the_first() -> None:
    """Of the restored entries only the first is completed."""
    from partition_bridge.restore import Restoration

    run = Restoration.run

    def partial(self: Restoration) -> Any:
        del self.entries[1:]
        return run(self)

    Restoration.run = partial


def _skips_missing() -> None:
    """A missing upload is skipped although nobody has asked for that."""
    from partition_bridge import restore

    begin = restore.Restoration.__init__

    def lenient(self: Any, *arguments: Any, skip_missing: bool) -> None:
        del skip_missing
        begin(self, *arguments, skip_missing=True)

    restore.Restoration.__init__ = lenient


def _older_ignored() -> None:
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


def _publishes_on_exit() -> None:
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


def _no_token() -> None:
    """Uploads and objects don't carry the file's token."""
    from partition_bridge.store.s3 import S3Store

    create = S3Store.create
    S3Store.create = lambda self, bucket, key, metadata: create(self, bucket, key, {})


def _no_proof() -> None:
    """Any 200 is a yes."""
    from partition_bridge.store import s3

    s3._proof = lambda answer, name, what: answer.get(name, "x")


def _repeated_yes_trusted() -> None:
    """The yes to a repeated completion is taken for a yes to the first."""
    from partition_bridge.commit import Committer

    publish = Committer._publish

    def trusting(self: Committer, entry: Any) -> int:
        publish(self, entry)
        return 0

    Committer._publish = trusting


def _part_cut_short() -> None:
    """A part is sent without its last byte."""
    from partition_bridge.store.s3 import S3Store

    upload = S3Store.upload_part
    S3Store.upload_part = lambda self, b, k, u, n, body: upload(self, b, k, u, n, body[:-1])


def _silent_death() -> None:
    """Errors of threads are logged and the writer goes on."""
    from partition_bridge import process

    process.WriterProcess._failed = lambda self, error: None


def _not_refreshed() -> None:
    """Credentials that have expired aren't asked for anew."""
    from partition_bridge.store import s3

    s3.expired = lambda error: False  # type: ignore[attr-defined]


MUTANTS: dict[str, Mutant] = {
    "no-read-back": Mutant(_no_read_back, ("commit/CompleteMultipartUpload:503.inf:before",)),
    "size-only-read-back": Mutant(_size_only, ("restore/foreign",)),
    "no-tail": Mutant(_no_tail, ("commit/PutObject:reset.2:before", "commit/shutdown")),
    "completed-before-the-checkpoint": Mutant(_before_checkpoint, ("commit/declined",)),
    "no-such-upload-is-success": Mutant(_no_such_upload_is_success, ("commit/forgotten", "restore/forgotten")),
    "abort-on-close": Mutant(_abort_on_close, ("commit/shutdown",)),
    "abort-on-error": Mutant(
        _abort_on_error, ("commit/CompleteMultipartUpload:forbidden", "commit/commit-before-complete:raise")
    ),
    "trailing-bytes-accepted": Mutant(_trailing_bytes, ("restore/trailing-bytes",)),
    "foreign-object-overwritten": Mutant(_overwrites, ("restore/foreign",)),
    "commit-not-awaited": Mutant(
        _commit_not_awaited, ("commit/CompleteMultipartUpload:slow", "commit/CompleteMultipartUpload:503.inf")
    ),
    "part-errors-ignored": Mutant(_part_errors_ignored, ("write/UploadPart:503.inf:before",)),
    "commit-errors-ignored": Mutant(_commit_errors_ignored, ("commit/CompleteMultipartUpload:forbidden",)),
    "parts-not-awaited": Mutant(_parts_not_awaited, ("write/UploadPart:slow",)),
    "restores-only-the-first": Mutant(_restores_the_first, ("restore/PutObject:reset.2:before", "restore/minio/nothing")),
    "skips-missing-uploads": Mutant(_skips_missing, ("restore/forgotten",)),
    "older-pending-ignored": Mutant(_older_ignored, ("commit/late-notify",)),
    "publishes-on-failure": Mutant(_publishes_on_exit, ("write/barrier-before-ready:raise",)),
    "no-token": Mutant(_no_token, ("commit/CompleteMultipartUpload:no-such-upload.1:after",)),
    "any-200-is-a-yes": Mutant(_no_proof, ("commit/CompleteMultipartUpload:200-html.1:before", "commit/PutObject:200-html")),
    "repeated-yes-trusted": Mutant(
        _repeated_yes_trusted, ("commit/CompleteMultipartUpload:pretended", "commit/PutObject:pretended")
    ),
    "part-cut-short": Mutant(_part_cut_short, ("commit/shutdown",)),
    "credentials-not-refreshed": Mutant(
        _not_refreshed, ("write/UploadPart:expired-token.3", "commit/CompleteMultipartUpload:expired-token.3")
    ),
    "thread-errors-swallowed": Mutant(_silent_death, ("write/UploadPart:forbidden",)),
}


def killed(shared: Bench, name: str, folder: Path) -> dict[str, str] | None:
    """The case that failed with the mutant, and as what; None where all of its cases passed."""
    for number, pattern in enumerate(MUTANTS[name].cases):
        for case in cases():
            if case.server not in shared.lakes or not re.match(pattern, case.id):
                continue
            prefix = f"{name}-{number}-{cases().index(case)}"
            try:
                Run(shared, case, prefix, folder / f"points-{prefix}", name).run()
            except (AssertionError, AuditFailed) as noticed:  # any other trouble is the harness's own
                _check_whole(name, shared.folder.glob(f"{prefix}.*.err"))
                return {"case": case.id, "why": f"{type(noticed).__name__}: {noticed}".splitlines()[0][:160]}
    return None


def _check_whole(name: str, logs: Iterable[Path]) -> None:
    """A mutant that falls over a change of the product proves nothing, though its case fails."""
    for log in logs:
        words = log.read_text(errors="replace")
        broken = "mutants.py" in words and re.search(
            "^(TypeError|AttributeError|NameError|ImportError|KeyError)", words, re.MULTILINE
        )
        assert not broken, f"the mutant {name} doesn't fit the product any more:\n{words[-1500:]}"
