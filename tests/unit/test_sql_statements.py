"""SQL files cut into statements."""

import pytest

from partition_bridge.sql_statements import statements_of
from tests.support.flink import ROOT


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("", []),
        (" ;; \n; ", []),
        ("SELECT 1", ["SELECT 1"]),
        ("USE a; USE b;", ["USE a", "USE b"]),
        ("SET 'a' = ';'; USE b", ["SET 'a' = ';'", "USE b"]),
        ("SELECT 'it''s; so'; USE b", ["SELECT 'it''s; so'", "USE b"]),
        ("SELECT `a;b`; USE b", ["SELECT `a;b`", "USE b"]),
        ("USE a; -- not; this\nUSE b", ["USE a", "USE b"]),
        ("USE a /* nor; this */; USE b", ["USE a", "USE b"]),
        ("SELECT 'no -- comment'; USE b", ["SELECT 'no -- comment'", "USE b"]),
        (
            "INSERT INTO a /*+ OPTIONS('x' = ';') */ SELECT 1; USE b",
            ["INSERT INTO a /*+ OPTIONS('x' = ';') */ SELECT 1", "USE b"],
        ),
        (
            "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 'END'; END; USE b",
            ["EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 'END'; END", "USE b"],
        ),
        (
            "BEGIN STATEMENT SET; INSERT INTO a SELECT 1; END;",
            ["BEGIN STATEMENT SET", "INSERT INTO a SELECT 1", "END"],
        ),
    ],
)
def test_semicolons_end_statements_and_nothing_else(text: str, statements: list[str]) -> None:
    """Not in texts, names, comments and hints, and not those of the INSERTs of a statement set."""
    assert statements_of(text) == statements


def test_the_quickstart_is_cut_as_the_client_cuts_it() -> None:
    """A file that a real SQL client runs in another test."""
    found = statements_of((ROOT / "examples" / "quickstart.sql").read_text())
    assert [each.split()[0] for each in found].count("INSERT") >= 1
    assert all("--" not in each for each in found), "comments are gone"
