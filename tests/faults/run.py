"""Runs one case: the job, the fault in its stage, recovery without it, and what must be true at the end."""

import signal
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.bench import Bench, Lake
from tests.faults.case import Case
from tests.faults.deeds import DEEDS
from tests.faults.job import Attempt, File, Job, survives
from tests.faults.lines import HARMLESS, Broken
from tests.faults.verdict import Evidence, judge
from tests.support.faultproxy import Script

MAX_ATTEMPTS = 4
SLOW_SECONDS = 0.5


@dataclass
class Run:
    """One case at work. `folder` takes its fault points."""

    bench: Bench
    case: Case
    prefix: str
    folder: Path
    mutant: str = ""
    struck: list[str] = field(default_factory=list)
    broken: Broken | None = None

    def run(self) -> Evidence:
        """Raises AssertionError where the product, or the fault, isn't what the case says."""
        bench, case = self.bench, self.case
        lake = bench.lakes[case.server]
        large = bench.larger if case.parts else bench.large
        epochs = ((File("day=1/", large, open=bool(case.open)), File("day=2/", bench.small)), (File("day=1/", bench.later),))
        job = Job(bench, lake, self.prefix, self._manner(), epochs, case.open or "parquet")
        self._arm(lake, "start", "write")
        if case.stage in ("restore", "replay"):
            self._crash_before(job)
        try:
            self._attempts(job)
        finally:
            # The next case has the same line.
            self._calm(lake)
        if self.broken:
            self._proves_broken(job)
        return judge(case, job, lake, self._firings(lake), self.struck)

    def _proves_broken(self, job: Job) -> None:
        """Connections have ended under the spell; where it did harm, the writer sent requests again, or failed of it."""
        assert self.broken is not None
        spell, again = self.broken.spell, job.lake.proxy.repeats(self.prefix)
        assert self.broken.struck(), f"no connection has ended under {spell}"
        assert spell.toxic in HARMLESS or again or job.failures or spell.where == "gateway", f"{spell} hasn't hit any request"
        self.struck.append(f"{spell}: {again} requests sent again")

    def _manner(self) -> list[str]:
        """What `tests.faults.launch` is told."""
        waits = self.case.spell is not None and not self.case.spell.for_ever
        return [*(["--patient"] if waits else []), *([self.mutant] if self.mutant else [])]

    def _attempts(self, job: Job) -> None:
        while job.attempts < MAX_ATTEMPTS and not (self.case.expect.lost and len(job.failures) > 1):
            with self._start(job, blow=not self.struck and not job.failures) as attempt:
                alive = survives(attempt, lambda attempt=attempt: self._live(attempt))  # type: ignore[misc]
            if alive:
                return
            job.state = job.spoilt or job.state
            self._calm(job.lake)

    def _live(self, attempt: Attempt) -> None:
        """One attempt from start to orderly end."""
        job, case = attempt.job, self.case
        attempt.greet()
        if job.state:
            attempt.restore()
        elif job.attempts == 1 and case.deed == "late-notify":
            self._two_checkpoints(attempt)
            attempt.commit()
        while job.epoch < len(job.epochs):
            attempt.snapshot(attempt.write(job.epochs[job.epoch]))
            if job.attempts == 1 and job.epoch == 1 and self._turn(attempt):
                return
            attempt.commit()
        if case.stage == "close" and not job.failures:
            attempt.leave_unnamed(File("day=3/", self.bench.unnamed))
            self._arm(job.lake, "close")
        attempt.shutdown()

    def _turn(self, attempt: Attempt) -> bool:
        """What happens between the first checkpoint and its commit; True when this writer's part is over with it."""
        job, case = attempt.job, self.case
        if case.stage != "commit":
            return False
        self._arm(job.lake, "commit")
        self._do(job)
        if case.deed == "shutdown":
            attempt.shutdown()
        elif case.deed == "zombie":
            self._outlived(attempt)
        elif case.deed == "declined":
            self._declined(attempt)
        else:
            return False
        self.struck.append(case.deed)
        # Cancelled, or given up for dead: the next attempt is a restart.
        self._attempts(job)
        return True

    def _outlived(self, attempt: Attempt) -> None:
        """The writer hangs just before its commits, its successor completes them, and then it goes on."""
        attempt.child.process.send_signal(signal.SIGSTOP)
        attempt.child.shim.commit(attempt.job.checkpoint)
        with self._start(attempt.job) as successor:
            successor.greet()
            successor.restore()
            attempt.child.process.send_signal(signal.SIGCONT)
            # One gateway hears both.
            successor.child.shim.call("committed", attempt.job.checkpoint)

    def _declined(self, attempt: Attempt) -> None:
        """Another subtask declines the checkpoint, and the job starts from before it: none of it may ever be seen."""
        job = attempt.job
        # Time for a writer that is too quick to show itself.
        time.sleep(SLOW_SECONDS)
        attempt.check_invisible(job.covered)
        attempt.shutdown()
        job.state, job.covered, job.epoch = [], [], 0

    def _two_checkpoints(self, attempt: Attempt) -> None:
        """Two checkpoints are complete before the first notification comes: the second one's state names the files of both."""
        job = attempt.job
        attempt.snapshot(attempt.write(job.epochs[0]))
        attempt.snapshot(attempt.write(job.epochs[1]), carried=job.state)
        self.struck.append(self.case.deed)

    def _crash_before(self, job: Job) -> None:
        """The attempt before: it dies between checkpoint and commit, or right after the commit."""
        with self._start(job) as attempt:
            attempt.greet()
            if self.case.deed == "late-notify":
                self._two_checkpoints(attempt)
            else:
                attempt.snapshot(attempt.write(job.epochs[0]))
            if self.case.stage == "replay":
                attempt.commit()
            if self.case.open:
                attempt.outgrow(self.bench.unnamed)
        self._do(job)
        self._arm(job.lake, "restore", "replay")

    def _start(self, job: Job, blow: bool = False) -> Attempt:
        due = self.case.blow if blow else None
        if due is None:
            return job.start()
        self.folder.mkdir(parents=True, exist_ok=True)
        verb = "raise" if due.how == "raise" else "hold"
        (self.folder / f"{verb}.{due.point}").touch()
        attempt = job.start(fault_points=str(self.folder))
        threading.Thread(target=self._strike, args=(attempt,), daemon=True).start()
        return attempt

    def _strike(self, attempt: Attempt) -> None:
        """Wait until the writer has reached the point, then strike it there."""
        blow, log = self.case.blow, self.folder / "reached.jsonl"
        assert blow is not None
        while not (log.exists() and f'"{blow.point}"' in log.read_text()):
            if attempt.child.process.poll() is not None:
                return
            time.sleep(0.01)
        self.struck.append(f"{blow.point}:{blow.how}")
        if blow.how == "kill":
            attempt.child.process.kill()
        elif blow.how == "term":
            attempt.child.process.terminate()
        elif blow.how == "slow":
            time.sleep(SLOW_SECONDS)
            (self.folder / f"hold.{blow.point}").unlink()

    def _do(self, job: Job) -> None:
        if self.case.deed in DEEDS:
            job.spoilt = job.state
            job.state = DEEDS[self.case.deed](job.lake, job.state)
            self.struck.append(self.case.deed)

    def _arm(self, lake: Lake, *stages: str) -> None:
        """Put the case's rules in force where its stage is one of `stages`; its flavour always is."""
        rules = self.case.rules if self.case.stage in stages else ()
        lake.proxy.use(Script(self.prefix, rules, self.case.flavour))
        if self.case.spell and self.case.stage in stages:
            self.broken = Broken(self.bench.gateway if self.case.spell.where == "gateway" else lake.line, self.case.spell)

    def _calm(self, lake: Lake) -> None:
        lake.proxy.use(Script(f"{self.prefix} after", (), self.case.flavour))
        if self.broken:
            self.broken.ends()

    def _firings(self, lake: Lake) -> list[dict[str, object]]:
        return lake.proxy.firings(self.prefix)
