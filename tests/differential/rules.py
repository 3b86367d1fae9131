"""Why a difference may be: each rule stands for one row of docs/parity.md, and covers no more than that row says."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.differential.compare import Difference
from tests.differential.tables import Table, old_times

STAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?")
SECOND, AGE, ROUNDED = 1_000_000, 2**64 // 1000, 2
OFTEN = 1.0
SELDOM = 0.02
"""Largest share of tables that a rule may cover."""


@dataclass(frozen=True)
class Rule:
    """`row` is the first cell of its row in docs/parity.md."""

    name: str
    row: str
    covers: Callable[[Table, Difference], bool]
    share: float = SELDOM


def _before_1970(table: Table, difference: Difference) -> bool:
    """INT96 of a time before 1970: of another reading by a second or by an age, or unreadable for Flink's reader on one side."""
    if table.options.get("parquet.write.int64.timestamp") == "true":
        return False
    stamps = [name for name, kind in table.columns if {"TIMESTAMP", "TIMESTAMP_LTZ"} & set(kind.families)]
    rows = (*table.rows, *table.again)
    if difference.what == "Flink fails":
        return any(old_times(row[name]) for row in rows for name in stamps)
    row = next((each for each in rows if str(each["id"]) == difference.row), None)
    of_old = difference.what.startswith("value by") and difference.column in stamps and row is not None
    return of_old and row is not None and old_times(row[difference.column]) and _a_second_or_an_age(table, difference)


def _a_second_or_an_age(table: Table, difference: Difference) -> bool:
    """Nothing but times differ, each by the second that Flink adds, by a reader's microsecond or, where Flink shifts to
    the Julian calendar, by days; or by 2^64 nanoseconds, which is what some readers take a negative time of day for.
    """
    pairs = list(zip(STAMP.findall(difference.ours), STAMP.findall(difference.theirs), strict=False))
    if STAMP.sub("", difference.ours) != STAMP.sub("", difference.theirs):
        return False
    in_utc = table.options.get("parquet.utc-timezone") == "true"
    steps = (0, AGE) if in_utc else (0, SECOND, AGE, AGE - SECOND, AGE + SECOND)
    return all(any(abs(abs(_apart(ours, theirs)) - step) <= ROUNDED for step in steps) for ours, theirs in pairs)


def _apart(ours: str, theirs: str) -> int:
    """Microseconds; one is what a reader rounds away of a negative time of day."""
    (our, their) = (datetime.strptime(f"{text}+0000", "%Y-%m-%d %H:%M:%S.%f%z") for text in (_full(ours), _full(theirs)))
    return round((their - our) / timedelta(microseconds=1))


def _of_a_map(_: Table, difference: Difference) -> bool:
    """What the format asks readers to do without, and pyarrow can't write."""
    of_group = difference.what == "converted_type of key_value in the footer"
    return of_group and (difference.ours, difference.theirs) == ("None", "MAP_KEY_VALUE")


def _full(text: str) -> str:
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction[:6] or '0'}"


RULES = (
    Rule("times before 1970", "INT96 before 1970", _before_1970, OFTEN),
    Rule("annotation of the group in a MAP", "group inside of MAP and MULTISET", _of_a_map, OFTEN),
)


def rule_of(table: Table, difference: Difference) -> Rule | None:
    """The one that covers a difference, if there is one."""
    return next((rule for rule in RULES if rule.covers(table, difference)), None)


def unused(used: dict[str, set[int]]) -> list[str]:
    """Rules that no table of a run has needed."""
    return [rule.name for rule in RULES if not used.get(rule.name)]


def too_broad(used: dict[str, set[int]], tables: int) -> list[str]:
    """Rules that cover more tables than they may; one table is always allowed, however few there are."""
    return [
        f"{rule.name}: {len(used.get(rule.name, ()))} of {tables} tables"
        for rule in RULES
        if len(used.get(rule.name, ())) > max(1, rule.share * tables)
    ]
