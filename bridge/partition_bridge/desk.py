"""The table of live files: every event of every thread goes through here, one at a time, and starts what the lifecycle asks for.

reader ─────┐                                  ┌──► uploads (pool)
encode loop ├──► event ──► lifecycle.advance ──┼──► commits (pool)
pools ──────┘        (one lock, never waits)   └──► socket and control calls (one thread each)
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict

from partition_bridge import entries, frames
from partition_bridge.budget import Budget
from partition_bridge.checkpoints import END_OF_INPUT, Checkpoints, Ready
from partition_bridge.control import Summary
from partition_bridge.counters import Counters
from partition_bridge.errors import ProtocolViolation
from partition_bridge.files import LiveFile, MarkedContent
from partition_bridge.lifecycle import (
    AbortUpload,
    AnnounceEntry,
    AnnounceMark,
    CommitAsked,
    Complete,
    CreateUpload,
    Dropped,
    Effect,
    Event,
    Marked,
    PartStored,
    Phase,
    SendPart,
    UploadCreated,
    Visible,
    advance,
)
from partition_bridge.names import require_short
from partition_bridge.parts import PartCutter
from partition_bridge.upload import Uploads

Announce = Callable[..., None]


class Desk:
    """Owns all state that threads share. Public methods may be called from any thread and never wait for store, socket or shim.

    ``send`` queues a frame; ``announce`` queues a control call; ``commit`` starts completing an entry and calls ``visible`` after.
    """

    def __init__(
        self,
        bucket: str,
        part_size: int,
        budget: Budget,
        send: Callable[[bytes], None],
        announce: Announce,
        commit: Callable[[int, entries.Entry], None],
    ) -> None:
        self._lock = threading.RLock()
        self._bucket = bucket
        self._part_size = part_size
        self._files: dict[int, LiveFile] = {}
        self._next_file = 0
        self._checkpoints = Checkpoints()
        self._pulls: dict[int, list[int]] = {}
        self._kept: dict[tuple[int, int], bytes] = {}
        self._commits: dict[int, tuple[set[int], list[Summary]]] = {}
        self._send, self._announce, self._commit = send, announce, commit
        self.budget = budget
        self.counters = Counters()
        self.uploads: Uploads
        self.encoder = "arrow"
        self.schema = ""

    # From the reader

    def opened(self, frame: frames.Open) -> None:
        """A new file; numbers grow by one."""
        with self._lock:
            if frame.file != self._next_file:
                raise ProtocolViolation(f"file {frame.file} is opened where {self._next_file} is next")
            self._next_file += 1
            require_short(frame.key)
            self._files[frame.file] = LiveFile(
                frame.file, frame.key, frame.partition, frame.token, frame.created_ms, PartCutter(self._part_size)
            )

    def received(self, batch: frames.Batch | frames.Bytes) -> None:
        with self._lock:
            self.budget.took(batch.size)

    def barrier_received(self, frame: frames.Barrier) -> None:
        with self._lock:
            self._checkpoints.received(frame.checkpoint, frame.files, frame.open)

    def pulled(self, file: int, checkpoint: int) -> None:
        """Answer with the file's entry as soon as it is final; with none for a file that is completed, or a checkpoint that is over."""
        with self._lock:
            if file >= self._next_file:
                raise ProtocolViolation(f"entry of file {file} is asked for, which was never opened")
            live = self._files.get(file)
            if (file, checkpoint) in self._kept:
                self._send(frames.state(file, checkpoint, self._kept[file, checkpoint]))
            elif live is not None and self._will_have_entry(live, checkpoint):
                self._pulls.setdefault(file, []).append(checkpoint)
                self._answer_pulls(live)
            else:
                self._send(frames.state(file, checkpoint, b""))

    def aborted(self, checkpoint: int) -> None:
        """Nobody waits for entries of this checkpoint any more. Its files stay as they are."""
        with self._lock:
            for waiting in self._pulls.values():
                waiting[:] = [n for n in waiting if n != checkpoint]
            self._kept = {asked: entry for asked, entry in self._kept.items() if asked[1] != checkpoint}
            for live in self._files.values():
                self._forget_mark(live, checkpoint)

    def commit_asked(self, checkpoint: int) -> None:
        """Complete everything up to ``checkpoint``, as soon as it is all there (I2)."""
        with self._lock:
            self._checkpoints.asked(checkpoint)
            self._start_due_commits()

    # From the encode loop

    def file(self, number: int) -> LiveFile:
        with self._lock:
            live = self._files.get(number)
            if live is None:
                raise ProtocolViolation(f"rows or close for file {number}, which isn't open")
            return live

    def open_files(self) -> list[LiveFile]:
        with self._lock:
            return [live for live in self._files.values() if live.state.phase in (Phase.BUFFERING, Phase.UPLOADING)]

    def mark(self, number: int, checkpoint: int, tail: bytes) -> None:
        """Barrier ``checkpoint`` has come to the open file, whose last ``tail`` bytes are in no part yet."""
        with self._lock:
            live = self._files[number]
            live.marks[checkpoint] = MarkedContent(len(live.state.cut), tail, live.rows, live.last_write_ms)
            self.budget.inline += len(tail)
            self.apply(number, Marked(checkpoint))

    def passed(self, checkpoint: int) -> None:
        """The encode loop has come to the barrier, and all its files are named."""
        with self._lock:
            self._ready(self._checkpoints.passed(checkpoint))

    # From everywhere

    def apply(self, number: int, event: Event, retries: int = 0) -> None:
        """Advance a file and start what follows."""
        with self._lock:
            live = self._files[number]
            live.state, effects = advance(live.state, event)
            if isinstance(event, PartStored):
                body = live.bodies.pop(event.part.number)
                self.budget.sending -= len(body)
                self.counters.parts_uploaded += 1
                self.counters.bytes_uploaded += len(body)
                self.counters.part_retries += retries
            elif isinstance(event, UploadCreated):
                self.counters.uploads_created += 1
            elif isinstance(event, Visible):
                self._gone(live)
            for effect in effects:
                self._start(live, effect)
            self.offer_credit()

    def adjust(self, received: int = 0, arrow: int = 0, encoded: int = 0, sending: int = 0, inline: int = 0) -> None:
        """Bytes moved from one place to another; see ``budget``."""
        with self._lock:
            budget = self.budget
            budget.received += received
            budget.arrow += arrow
            budget.encoded += encoded
            budget.sending += sending
            budget.inline += inline
            self.offer_credit()

    def offer_credit(self) -> None:
        with self._lock:
            more = self.budget.grant()
            if more:
                self._send(frames.credit(more))

    def drop_unnamed(self) -> None:
        """Orderly close: abort the uploads that no barrier has named (I6); waits for the store."""
        with self._lock:
            unnamed = [live for live in self._files.values() if not self._checkpoints.is_named(live.number)]
            open_ = [
                live
                for live in unnamed
                if live.state.checkpoint is None and live.state.phase in (Phase.BUFFERING, Phase.UPLOADING, Phase.SEALED)
            ]
        for live in open_:
            self.apply(live.number, Dropped())

    def metrics(self) -> dict[str, int]:
        with self._lock:
            pending = [live for live in self._files.values() if live.state.checkpoint is not None]
            return {
                "open_files": len(self.open_files()),
                "bytes_buffered": self.budget.used,
                "files_pending": len(pending),
                "bytes_pending": sum(live.state.size for live in pending),
                **asdict(self.counters),
            }

    def _start(self, live: LiveFile, effect: Effect) -> None:
        if isinstance(effect, CreateUpload):
            self.uploads.create(live.number, live.key, live.token)
        elif isinstance(effect, SendPart):
            self.uploads.send(live.number, live.key, effect.upload_id, effect.number, live.bodies[effect.number])
        elif isinstance(effect, AnnounceMark):
            # An aborted checkpoint's is forgotten already.
            if effect.checkpoint in live.marks:
                live.marks[effect.checkpoint].whole = True
            self._answer_pulls(live)
            self._ready(self._checkpoints.marked(live.number, effect.checkpoint))
        elif isinstance(effect, AnnounceEntry):
            self._answer_pulls(live)
            self._ready(self._checkpoints.settled(live.number))
        elif isinstance(effect, Complete):
            self._commit(live.number, live.entry(self._bucket, self._part_size, self.encoder, self.schema))
        elif isinstance(effect, AbortUpload):
            self.uploads.abort(live.key, effect.upload_id)

    def _will_have_entry(self, live: LiveFile, checkpoint: int) -> bool:
        sealed = live.state.checkpoint is not None and live.state.checkpoint <= checkpoint
        return sealed or checkpoint in live.marks or self._checkpoints.is_ahead(checkpoint)

    def _answer_pulls(self, live: LiveFile) -> None:
        waiting = self._pulls.pop(live.number, [])
        for checkpoint in waiting:
            entry = self._final_entry(live, checkpoint)
            if entry is None:
                self._pulls.setdefault(live.number, []).append(checkpoint)
            else:
                self._send(frames.state(live.number, checkpoint, entries.encode(entry)))
                self._forget_mark(live, checkpoint)

    def _final_entry(self, live: LiveFile, checkpoint: int) -> entries.Entry | None:
        """What the file held at that barrier, however far it has come since: rows after it belong to later checkpoints."""
        facts = (self._bucket, self._part_size, self.encoder, self.schema)
        if checkpoint in live.marks:
            return live.open_entry(checkpoint, *facts) if live.marks[checkpoint].whole else None
        sealed = live.state.checkpoint is not None and live.state.checkpoint <= checkpoint
        return live.entry(*facts) if sealed and live.state.phase in (Phase.PENDING, Phase.COMPLETING) else None

    def _forget_mark(self, live: LiveFile, checkpoint: int) -> None:
        mark = live.marks.pop(checkpoint, None)
        if mark is not None:
            self.budget.inline -= len(mark.tail)

    def _ready(self, ready: list[Ready]) -> None:
        for each in ready:
            states = [self._files[number].state for number in each.files]
            marks = [mark for number in each.open if (mark := self._files[number].marks.get(each.checkpoint)) is not None]
            summary = {
                "files": len(each.files) + len(each.open),
                "parts": sum(len(state.stored) for state in states) + sum(mark.parts for mark in marks),
                "uploaded_bytes": sum(sum(state.cut) for state in states) + sum(mark.parts for mark in marks) * self._part_size,
                "inline_bytes": sum(state.tail for state in states) + sum(len(mark.tail) for mark in marks),
            }
            self._announce("snapshot_ready", each.checkpoint, summary)
        self._start_due_commits()

    def _start_due_commits(self) -> None:
        for checkpoint in self._checkpoints.due():
            covered = [
                live for live in self._files.values() if live.state.checkpoint is not None and live.state.checkpoint <= checkpoint
            ]
            if checkpoint in self._commits:
                continue
            if checkpoint == END_OF_INPUT:
                self._keep_entries(covered)
            self._commits[checkpoint] = ({live.number for live in covered}, [])
            for live in covered:
                if live.state.phase is Phase.PENDING:
                    self.apply(live.number, CommitAsked())
        self._finish_commits()

    def _keep_entries(self, covered: list[LiveFile]) -> None:
        """The end of input overtakes checkpoints that are still in the making: their snapshots need the entries of files that are gone by then."""
        for live in covered:
            for checkpoint in self._checkpoints.before(END_OF_INPUT):
                entry = self._final_entry(live, checkpoint)
                if entry is not None:
                    self._kept[live.number, checkpoint] = entries.encode(entry)

    def _gone(self, live: LiveFile) -> None:
        self.budget.inline -= len(live.tail)
        for checkpoint in list(live.marks):
            self._forget_mark(live, checkpoint)
        del self._files[live.number]
        for waiting, done in self._commits.values():
            if live.number in waiting:
                waiting.discard(live.number)
                done.append(live.committed())
        self._finish_commits()

    def _finish_commits(self) -> None:
        for checkpoint in sorted(n for n, (waiting, _) in self._commits.items() if not waiting):
            _, done = self._commits.pop(checkpoint)
            self._checkpoints.finished(checkpoint, [file["file"] for file in done])
            # Its own entries were sent, or it could not be complete; older checkpoints are over.
            for live in self._files.values():
                for older in [n for n in live.marks if n <= checkpoint]:
                    self._forget_mark(live, older)
            self._announce("committed", checkpoint, {"files": done})
