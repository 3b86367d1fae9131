"""The command `partition-bridge explain`, by a real Flink's planner."""

import json
import re
from pathlib import Path

import pytest

from tests.support.commands import run
from tests.support.flink import ROOT
from tests.support.installations import Installation
from tests.support.pages import ShownOutputs


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A healthy Flink, whose configuration says nothing of checkpoints."""
    flink = Installation(tmp_path_factory.mktemp("explain") / "flink", {})
    flink.configure({})
    return str(flink.home)


def test_the_page_shows_what_is_printed_of_its_file(home: str, tmp_path: Path) -> None:
    """In words: pyarrow, Flink's format, Flink's own sink with its reason, and another connector; the exit code is 1 for the third."""
    (statements,) = re.findall(r"```sql\n(.*?)```", (ROOT / "docs" / "explain.md").read_text(), re.DOTALL)
    file = tmp_path / "job.sql"
    file.write_text(statements)
    told = run("explain", "--flink-home", home, str(file))
    assert told.returncode == 1, told.stderr
    ShownOutputs("explain.md").check(
        "What it prints", f"$ partition-bridge explain --flink-home /opt/flink job.sql\n{told.stdout}"
    )


def test_the_quickstart_is_the_bridges_to_write(home: str) -> None:
    """As a line of JSON, for scripts; exit code 0."""
    told = run("explain", "--json", "--flink-home", home, str(ROOT / "examples" / "quickstart.sql"))
    assert told.returncode == 0, told.stderr
    (sink,) = map(json.loads, told.stdout.splitlines())
    assert (sink["writer"], sink["path"], sink["policies"]) == ("arrow", "s3://lake/readings", "success-file")
    assert (sink["checkpoint_interval_ms"], sink["reason"]) == (10_000, None), (
        "SET counts, and there's nothing to give a reason for"
    )


@pytest.mark.thorough
def test_a_statement_that_is_refused_is_told_by_its_number(home: str, tmp_path: Path) -> None:
    """In Flink's words, without a traceback, and without the options of other statements; exit code 2."""
    file = tmp_path / "job.sql"
    file.write_text("-- nothing\nUSE default_database;\nINSERT INTO nowhere SELECT 1;")
    told = run("explain", "--flink-home", home, str(file))
    assert told.returncode == 2, told.stdout
    assert told.stderr.startswith("error: statement 2, INSERT INTO nowhere SELECT 1, is refused: "), told.stderr
    assert "nowhere" in told.stderr
    assert "Traceback" not in told.stderr
