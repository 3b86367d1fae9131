"""What a check says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class State(Enum):
    """From best to worst. ``skip`` wasn't looked at, since something before it failed, or the store doesn't let us look."""

    OK = "ok"
    SKIP = "skip"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True)
class Finding:
    """``found`` is what there is, ``remedy`` what to do about it; there is one with each warning and failure. Holds no secret (I12)."""

    check: str
    state: State
    found: str
    remedy: str = ""


def ok(check: str, found: str) -> Finding:
    """As it should be."""
    return Finding(check, State.OK, found)


def skip(check: str, why: str) -> Finding:
    """Not looked at."""
    return Finding(check, State.SKIP, why)


def warn(check: str, found: str, remedy: str) -> Finding:
    """Works, with a drawback that a person should know."""
    return Finding(check, State.WARN, found, remedy)


def fail(check: str, found: str, remedy: str) -> Finding:
    """A job fails, or writes something else than it was asked to."""
    return Finding(check, State.FAIL, found, remedy)
