"""What is done to the job, step by step: each point of both languages, and each call with each outcome once. Pure.

What can't be made good again (a part that was answered and not stored, an upload that somebody aborted) ends a job at every restart, so it
stays with the writer tier; so does what is done to the state's bytes.
"""

from collections.abc import Iterator

from tests.faults.case import UNHARMED, Blow, Case, Expect
from tests.faults.matrix import TRANSIENT, UNREADABLE, cases
from tests.support.faultproxy import FOR_EVER

TASK = "task"
"""The stage of a blow to a task of the JVM, at whatever time it comes to the point."""

TASK_POINTS = (
    "task-snapshot",
    "task-notified",
    "task-reported",
    "committer-heard",
    "committer-snapshot",
    "committer-fed",
)
"""Fault points of the shim (`io.partitionbridge.faultpoint.FaultPoints`): a writer's task, and the committer's."""

FINE = Expect(frozenset({UNHARMED}))


def steps(server: str) -> list[Case]:
    """All of them for one server, each with an id of its own."""
    once: dict[object, Case] = {}
    for case in filter(_can_be_mended, cases()):
        if case.server == server:
            once.setdefault(_what(case), case)
    return [*once.values(), *(case.on(server) for case in _task_blows())]


def _can_be_mended(case: Case) -> bool:
    # The line between the job's writers and the store is the proxy's own: no spell can be put on it. One on the gateway's must last:
    # what breaks once, py4j may get over by itself.
    # Its files are of one part or two, and end with their checkpoint.
    mendable = case.spell is None or (case.spell.where == "gateway" and case.spell.for_ever)
    here = not case.deed and mendable and case.stage != "close" and not case.parts and not case.open
    return here and not case.expect.lost and not _other_side_is_harder(case)


def _other_side_is_harder(case: Case) -> bool:
    """An answer that is lost is harder than a request; one that is refused for ever has no effect to be found."""
    if not case.rules or case.flavour or case.rules[-1].outcome not in (*TRANSIENT, *UNREADABLE):
        return False
    rule = case.rules[-1]
    return rule.side == ("after" if rule.times >= FOR_EVER else "before") and rule.nth == 1


def _what(case: Case) -> object:
    """The same fault at another stage is no other step: a running job does everything at once."""
    return case.blow or case.spell or (case.flavour, case.rules[-1:])


def _task_blows() -> Iterator[Case]:
    for point in TASK_POINTS:
        yield Case("", TASK, Expect(frozenset({"exit -9"})), blow=Blow(point, "kill"))
        yield Case("", TASK, Expect(frozenset({"fail"}), (point,)), blow=Blow(point, "raise"))
        yield Case("", TASK, FINE, blow=Blow(point, "slow"))
