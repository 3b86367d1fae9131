"""Credit: memory is never promised twice, and the shim never waits for what can't come."""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from partition_bridge.budget import budget_for

MEMORY = 1 << 28


class Credit(RuleBasedStateMachine):
    """Batches come within credit and move through the writer in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.budget = budget_for(MEMORY)
        self.budget.grant()

    @precondition(lambda self: self.budget.credit > 0)
    @rule(data=st.data())
    def batch(self, data: st.DataObject) -> None:
        self.budget.took(data.draw(st.integers(1, min(self.budget.credit, MEMORY // 8))))
        self.budget.grant()

    @precondition(lambda self: self.budget.received)
    @rule()
    def appended(self) -> None:
        self.budget.arrow, self.budget.received = self.budget.arrow + self.budget.received, 0
        self.budget.grant()

    @precondition(lambda self: self.budget.arrow)
    @rule(into=st.sampled_from(["encoded", "sending", "inline"]))
    def encoded(self, into: str) -> None:
        setattr(self.budget, into, getattr(self.budget, into) + self.budget.arrow // 2)
        self.budget.arrow = 0
        self.budget.grant()

    @rule(which=st.sampled_from(["encoded", "sending", "inline"]))
    def freed(self, which: str) -> None:
        setattr(self.budget, which, 0)
        self.budget.grant()

    @invariant()
    def memory_is_promised_once(self) -> None:
        moving = self.budget.received or self.budget.sending
        if moving and self.budget.credit > self.budget.floor:
            assert self.budget.used + self.budget.credit <= MEMORY + MEMORY // 8, "I8, but for one batch"

    @invariant()
    def a_batch_can_always_come_when_nothing_moves(self) -> None:
        if not self.budget.received and not self.budget.sending:
            assert self.budget.credit >= MEMORY // 8, "or the shim would wait for ever"


TestCredit = Credit.TestCase
