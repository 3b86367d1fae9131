"""The rules and the tables: each rule has its row in docs/parity.md and covers no more, and a table is its seed and number."""

from pathlib import Path

import pytest
from hypothesis import strategies as st

from tests.differential.compare import Difference
from tests.differential.kinds import Kind
from tests.differential.rules import RULES, SELDOM, Rule, rule_of, too_broad, unused
from tests.differential.tables import Table, draw_table

PARITY = (Path(__file__).resolve().parents[2] / "docs" / "parity.md").read_text()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_is_a_row_of_parity(rule: Rule) -> None:
    """Whoever sees a rule used finds what it stands for on the page, once."""
    assert sum(line.startswith(f"| {rule.row} |") for line in PARITY.splitlines()) == 1, "exactly one row begins with it"


def test_a_seed_and_a_number_are_a_table() -> None:
    """Drawn again, after others or alone, it's the same; another number or seed is another table."""
    first = draw_table(7, 3)
    draw_table(7, 4)
    assert _shown(draw_table(7, 3)) == _shown(first), "nothing of an earlier drawing counts"
    assert len({_shown(draw_table(seed, number)) for seed in (7, 8) for number in range(3)}) == 6, "and no two are the same"


def test_no_rule_covers_what_its_row_does_not_say() -> None:
    """A wrong value of a column is unexplained, in a table of whichever types."""
    for number in range(20):
        table = draw_table(5, number)
        for column, kind in table.columns:
            if not {"TIMESTAMP", "TIMESTAMP_LTZ"} & set(kind.families):
                wrong = Difference("value by pyarrow", column, "1", "2", row="0")
                assert rule_of(table, wrong) is None, f"{kind.sql} is never allowed to be another value"
        assert rule_of(table, Difference("announcements and other objects", "", "[]", "['_SUCCESS']")) is None
        assert rule_of(table, Difference("refused", "", "written", "IOException")) is None


def test_a_rule_that_explains_much_is_too_broad(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 100 tables, two may need the same rule; the third is one too many."""
    monkeypatch.setattr("tests.differential.rules.RULES", (Rule("seldom", "a row", lambda *_: True, SELDOM),))
    assert too_broad({"seldom": {1, 2}}, 100) == []
    assert too_broad({"seldom": {1, 2, 3}}, 100) == ["seldom: 3 of 100 tables"]
    assert unused({"seldom": set()}) == ["seldom"], "and one that explains nothing is told"


@pytest.mark.parametrize(
    ("utc", "theirs", "covered"),
    [
        ("false", "1969-12-31 23:59:59.5", True),
        ("false", "1969-12-31 23:59:58.6", False),
        ("false", "2554-07-21 23:34:32.209551", True),
        ("true", "2554-07-21 23:34:32.209551", True),
        ("true", "1969-12-31 23:59:59.5", False),
        ("true", "2554-07-21 23:34:32.3", False),
        ("true", "1970-12-31 23:59:58.5", False),
    ],
)
def test_a_time_before_1970_may_differ_by_a_second_or_by_an_age_and_no_more(utc: str, theirs: str, covered: bool) -> None:
    """Flink adds a second without `utc-timezone`; with it, readers take a negative time of day for one 2^64 nanoseconds later."""
    column = ("c0", Kind("TIMESTAMP(1)", "TIMESTAMP(1)", ("TIMESTAMP",), st.none()))
    row = {"id": 0, "c0": "1969-12-31 23:59:58.5"}
    table = Table(1, 0, "parquet", (column,), (), (row,), {"parquet.utc-timezone": utc})
    difference = Difference("value by pyarrow", "c0", "1969-12-31 23:59:58.5", theirs, row="0")

    assert (rule_of(table, difference) is not None) is covered


def _shown(table: object) -> str:
    """Without the strategies inside, which have no order."""
    shown = [(name, kind.sql) for name, kind in (*table.columns, *table.partitions)]  # type: ignore[attr-defined]
    return f"{shown} {table.rows} {table.options}"  # type: ignore[attr-defined]
