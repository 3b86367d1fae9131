"""The rules and the tables: each rule has its row in docs/parity.md and covers no more, and a table is its seed and number."""

from pathlib import Path

import pytest
from hypothesis import strategies as st

from tests.differential import report
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


def test_another_annotation_than_that_of_a_map_is_unexplained() -> None:
    """The group in a MAP may lack the old one, as its row says; any other node may not, and it may have no other."""
    table = draw_table(5, 0)
    group = "converted_type of key_value in the footer"
    assert rule_of(table, Difference(group, "", "None", "MAP_KEY_VALUE")) is not None
    assert rule_of(table, Difference(group, "", "LIST", "MAP_KEY_VALUE")) is None, "another annotation instead"
    assert rule_of(table, Difference("converted_type of m in the footer", "", "None", "MAP")) is None, "of another node"


@pytest.mark.parametrize(
    ("encoders", "refused", "asked", "shortfalls"),
    [
        ({"arrow": 610, "host": 380}, 10, 1000, 0),
        ({"arrow": 590, "host": 400}, 10, 1000, 1),
        ({"arrow": 710, "host": 280}, 10, 1000, 1),
        ({"arrow": 610, "host": 360}, 30, 1000, 1),
        ({"arrow": 610, "host": 380}, 10, 1020, 1),
        ({"arrow": 30, "host": 10}, 0, 40, 0),
    ],
)
def test_a_long_run_falls_short_without_its_shares(encoders: dict[str, int], refused: int, asked: int, shortfalls: int) -> None:
    """Most tables are pyarrow's, many the host's, few are refused, and all that were asked for are compared; some tables have no shares."""
    numbers = {"tables": sum(encoders.values()) + refused, "encoders": encoders, "refused by both sinks": refused}
    assert len(report.shortfalls(numbers, asked)) == shortfalls


def _shown(table: object) -> str:
    """Without the strategies inside, which have no order."""
    shown = [(name, kind.sql) for name, kind in (*table.columns, *table.partitions)]  # type: ignore[attr-defined]
    return f"{shown} {table.rows} {table.options}"  # type: ignore[attr-defined]
