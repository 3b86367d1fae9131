"""The rules and the tables: each rule has its row in docs/parity.md and covers no more, and a table is its seed and number."""

from pathlib import Path

import pytest

from tests.differential.compare import Difference
from tests.differential.rules import RULES, SELDOM, Rule, rule_of, too_broad
from tests.differential.tables import draw_table

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


def _shown(table: object) -> str:
    """Without the strategies inside, which have no order."""
    shown = [(name, kind.sql) for name, kind in (*table.columns, *table.partitions)]  # type: ignore[attr-defined]
    return f"{shown} {table.rows} {table.options}"  # type: ignore[attr-defined]
