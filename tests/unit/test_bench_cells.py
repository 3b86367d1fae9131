"""What the bench measures, and what it takes up again after a stop."""

from pathlib import Path

import pytest

from bench.cell import Cell
from bench.results import Results

RUNS = [{"connector": "blackhole", "round": 1, "wall": 10.0}]


def test_a_cell_is_named_by_what_makes_it() -> None:
    """The name that is printed is the one that CELL takes."""
    cell = Cell.parse("flights/p2/zstd")
    assert (cell.workload, cell.parallelism, cell.codec) == ("flights", 2, "zstd"), "each part has its place"
    assert str(cell) == "flights/p2/zstd", "and is said again"


@pytest.mark.parametrize(
    "name", ["events", "events/p1", "events/p3/snappy", "events/p1/lzo", "event/p1/snappy", "events/p1/snappy/x"]
)
def test_a_cell_that_there_is_not_is_refused_with_those_that_there_are(name: str) -> None:
    """A typo must not measure something else."""
    with pytest.raises(SystemExit, match="for example events/p1/snappy"):
        Cell.parse(name)


def test_a_stopped_run_goes_on_with_the_rounds_that_it_has(tmp_path: Path) -> None:
    """Rounds are kept as they end, beside those of other cells."""
    before = Results.load(tmp_path / "bench.json")
    for cell in ("flights/p1/none", "events/p1/none"):
        before.begin(cell, "abc", rows=5)
        before.add(cell, RUNS)

    after = Results.load(tmp_path / "bench.json")

    assert after.begin("events/p1/none", "abc", rows=5) == RUNS, "measured at this commit"
    assert after.begin("flights/p1/none", "abc", rows=5) == RUNS, "so is the other cell"


def test_rounds_of_another_commit_are_measured_anew(tmp_path: Path) -> None:
    """A ratio of two programs' costs says nothing of either."""
    results = Results.load(tmp_path / "bench.json")
    results.begin("events/p1/none", "abc", rows=5)
    results.add("events/p1/none", RUNS)

    assert results.begin("events/p1/none", "def", rows=5) == [], "none is of this commit"
