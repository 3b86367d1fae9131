"""Does steps to a running job. One whose fault didn't strike raises; each ends with a job that is right again."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from tests.faults.case import UNHARMED, Case
from tests.faults.jobs.gateways import gateway
from tests.faults.jobs.steps import TASK
from tests.faults.lines import TOXICS
from tests.integration.faults import kill_9, wait_for
from tests.soak.stream import PATIENCE, Stream
from tests.support.faultproxy import FOR_EVER, Rule, Script
from tests.support.faultproxy.proxy import FaultProxy
from tests.support.tcpproxy import TcpProxy

SLOW_SECONDS = 0.5
ATTEMPTS = 4
EVENT_LOST = "An OperatorEvent from an OperatorCoordinator to a task was lost"


class Shadowed(Exception):
    """Flink has named as the cause that its source's next split didn't reach the failing task, and doesn't tell what failed there.

    That is chance: the step is done again.
    """


@dataclass
class Steps:
    """`stream` is the job, `proxy` stands between its writers and the store, `lines` between them and their tasks' gateways."""

    stream: Stream
    proxy: FaultProxy
    lines: TcpProxy

    def do(self, case: Case) -> dict[str, Any]:
        """What it has shown: how often the fault struck, and how often Flink restarted the job."""
        before = self._restarts()
        self.stream.lake.faults.clear()
        for attempts_left in reversed(range(ATTEMPTS)):
            try:
                struck = self._blow(case) if case.blow else self._line(case) if case.spell else self._answers(case)
                break
            except Shadowed:
                if not attempts_left:
                    raise
                self.stream.is_right()
        self.stream.is_right()
        assert struck, f"{case.id} is over and nothing was struck"
        restarts = self._restarts() - before
        if case.expect.first == {UNHARMED} and not self._provoked(case):
            assert restarts == 0, f"the writer gets over {case.id} by itself: {self.stream.job.causes}"
        return {"ok": True, "struck": struck, "restarts": restarts}

    def _answers(self, case: Case) -> int:
        """Wrong answers of the store, until it has given all of them, or the job has failed of them."""
        before = self._restarts()
        self.proxy.use(Script(case.id, case.rules, case.flavour))
        try:
            if self._provoked(case):
                before = self._restored_from_pending_files(before)
            for rule in case.rules:
                wanted = 1 if rule.times >= FOR_EVER else rule.times
                self._waits(f"{rule} to strike", lambda rule=rule, wanted=wanted: self._struck(case, rule) >= wanted)  # type: ignore[misc]
            if UNHARMED not in case.expect.first:
                self._waits("the failure", lambda: self._restarts() > before)
                self._explains(case)
            if case.flavour:
                self._waits(f"the store's own answer to one of {case.due}", lambda: self._own_answers(case))
                self.stream.is_right()
        finally:
            self.proxy.use(Script("none"))
        return len(self.proxy.firings(case.id))

    def _struck(self, case: Case, rule: Rule) -> int:
        return sum((line["call"], line["outcome"]) == (rule.call, rule.outcome) for line in self.proxy.firings(case.id))

    def _own_answers(self, case: Case) -> int:
        """How often the store has met its flavour's calls in its flavour's way."""
        return sum(self._struck(case, Rule(call, f"flavour {case.flavour}", "before")) for call in case.due)

    def _explains(self, case: Case) -> None:
        """Whoever reads the failure in Flink's web interface learns what a writer's caller learns."""
        # A case's words are those of its first checkpoint; a job has had some before.
        words = [word.replace("checkpoint 1", "checkpoint ") for word in case.expect.says]
        missing = [word for word in words if word not in self.stream.job.causes]
        if missing and EVENT_LOST in self.stream.job.causes:
            raise Shadowed(f"{case.id}: {self.stream.job.causes}")
        assert not missing, f"{missing} aren't in what {case.id} fails with: {self.stream.job.causes}"

    @staticmethod
    def _provoked(case: Case) -> bool:
        """What only a writer's start does is struck when another writer starts; a store's ways are tried with a restore, too."""
        if case.blow:
            return case.blow.point.startswith("restore-")
        # A writer that was refused a condition once asks for none any more.
        unasked = case.flavour == "unconditional"
        return not case.rules or unasked or case.stage in ("start", "restore", "replay")

    def _blow(self, case: Case) -> int:
        assert case.blow is not None
        faults, point = self.stream.lake.faults, case.blow.point
        how: Callable[[Case, int], None] = {
            "kill": self._kill,
            "term": lambda _, pid: os.kill(pid, signal.SIGTERM),
            "raise": self._raise,
            "slow": lambda *_: time.sleep(SLOW_SECONDS),
        }[case.blow.how]
        before = self._restarts()
        with ExitStack() as holds:
            held = holds.enter_context(faults.holding(point))
            if self._provoked(case):
                before = self._restored_from_pending_files(before)
            pid = wait_for(f"a process at {point}", held, PATIENCE)[0].pid
            how(case, pid)
        if UNHARMED not in case.expect.first:
            self._waits("the restart", lambda: self._restarts() > before)
        return 1

    def _line(self, case: Case) -> int:
        """All writers' lines to their tasks break, and stay so; those that the restart brings have lines of their own."""
        assert case.spell is not None
        before = self._restarts()
        lines = [gateway(self.lines.api, writer) for writer in self.stream.job.writers()]
        ended = [line.ended() for line in lines]
        for line in lines:
            line.spoil(TOXICS[case.spell.toxic])
        self._waits("the failure", lambda: self._restarts() > before)
        self._explains(case)
        return sum(line.ended() > so_far for line, so_far in zip(lines, ended, strict=True))

    def _restored_from_pending_files(self, before: int) -> int:
        """End a writer whose checkpoint is complete and whose files aren't; Flink's restarts so far, this one included."""
        with self.stream.lake.faults.holding("commit-before-complete") as committing:
            kill_9(wait_for("a writer before a completion", committing, PATIENCE)[0].pid)
        self._waits("the restart", lambda: self._restarts() > before)
        return before + 1

    def _kill(self, case: Case, pid: int) -> None:
        if case.stage == TASK:
            self.stream.lake.kill_taskmanager()
        else:
            kill_9(pid)

    def _raise(self, case: Case, _: int) -> None:
        """From the held point; the order to raise is gone when the job has failed of it."""
        assert case.blow is not None
        faults, point, before = self.stream.lake.faults, case.blow.point, self._restarts()
        order, hold = faults.folder / f"raise.{point}", faults.folder / f"hold.{point}"
        order.touch()
        hold.unlink()
        try:
            self._waits("the failure", lambda: self._restarts() > before)
            self._explains(case)
        finally:
            order.unlink()

    def _waits(self, what: str, look: Callable[[], object]) -> None:
        self.stream.job.waits_for(what, look, PATIENCE)

    def _restarts(self) -> int:
        return self.stream.rest.restarts(self.stream.job.id)
