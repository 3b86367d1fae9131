"""A case: what goes wrong, where, and what must come of it. Values only."""

from dataclasses import dataclass, replace

from tests.support.faultproxy import Rule

STAGES = ("start", "write", "commit", "restore", "replay", "close")
"""When the fault is in force.

    start     the first writer starts
    write     it writes, up to the end of its first checkpoint
    commit    that checkpoint is complete, its files are being completed
    restore   the first writer was killed before the commit; its successor completes the files
    replay    the first writer was killed after the commit; its successor is given the same entries again
    close     everything is committed; an orderly end with a file that no barrier has named
"""

UNHARMED = "unharmed"
"""The writer goes on by itself: no failure."""


@dataclass(frozen=True)
class Blow:
    """What happens to the writer at one of its fault points: kill, term, raise, slow."""

    point: str
    how: str


@dataclass(frozen=True)
class Spell:
    """What befalls the line between the writer and the store, or the gateway (`tests.faults.lines`)."""

    toxic: str
    for_ever: bool = False
    where: str = "store"


@dataclass(frozen=True)
class Expect:
    """`first`: the kinds of failure with which the job may fail under the fault; UNHARMED among them where it needn't.

    `says`: words of that failure's message. `lost`: the large file can't be made visible any more, and each restart says so.
    """

    first: frozenset[str]
    says: tuple[str, ...] = ()
    lost: bool = False


@dataclass(frozen=True)
class Case:
    """`deed`: what somebody else does to the store, or to the state, when the stage begins (`tests.faults.deeds`).

    `flavour`: whose ways the store has meanwhile; `due`: the calls to one of which at least that gives an answer of its own.
    `open`: the format of the large file where it's open at its checkpoint, and has grown since: whoever restores it ends it there.
    `parts`: of how many the large file is, where it isn't two; the flavour has to take it, sizes and all.
    """

    server: str
    stage: str
    expect: Expect
    rules: tuple[Rule, ...] = ()
    blow: Blow | None = None
    deed: str = ""
    flavour: str = ""
    due: tuple[str, ...] = ()
    parts: int = 0
    open: str = ""
    spell: Spell | None = None

    @property
    def id(self) -> str:
        """Stable and readable: what:how:side:server, the stage before it."""
        if self.blow is not None:
            what = f"{self.blow.point}:{self.blow.how}"
        elif self.rules:
            rule = self.rules[-1]
            what = f"{rule.call}:{rule.outcome}{count(rule)}:{rule.side}"
        elif self.spell is not None:
            what = f"{self.spell.where}/{self.spell.toxic}:{'for-ever' if self.spell.for_ever else 'once'}"
        else:
            what = self.deed or (f"{self.parts}-parts" if self.parts else "nothing")
        where = [self.stage, *([self.flavour] if self.flavour else []), *([f"open-{self.open}"] if self.open else [])]
        return "/".join([*where, f"{what}:{self.server}"])

    def on(self, server: str) -> "Case":
        return replace(self, server=server)


def count(rule: Rule) -> str:
    """How often it strikes, as ids have it."""
    nth = f"#{rule.nth}" if rule.nth > 1 else ""
    return nth + ("*inf" if rule.times > 100 else f"*{rule.times}")
