"""`make bench-quick`: a line for each goal, from a few rounds of the cells that decide them.

`goal <name>: <ours> vs <peer> = <ratio> (must … goal …) ok|short`; "short of its must" where not even that is reached. Costs
are medians in µs a row, the ratio says how many times less the bridge costs than Flink's sink on s3-fs-native in the same run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from bench.cell import Cell
from bench.report import BRIDGE, STOCK, cost_of, ratio
from bench.results import Results
from bench.run import BUILD, console, measure


@dataclass(frozen=True)
class Goal:
    """`must` and `goal` are ratios; `figure` is one of a run's."""

    cell: str
    figure: str
    must: float
    goal: float

    def line(self, runs: Sequence[dict[str, Any]], rows: int) -> str:
        """What `runs` of the cell, of so many rows each, say of the goal."""
        reached = ratio(runs, self.figure)
        ours, peer = (f"{cost_of(runs, sink, self.figure)[1] / rows * 1e6:.2f} µs" for sink in (BRIDGE, STOCK))
        verdict = "ok" if reached >= self.goal else "short" if reached >= self.must else "short of its must"
        name = f"{self.cell} {self.figure}"
        return f"goal {name}: {ours} vs {peer} = {reached:.2f}x (must {self.must} goal {self.goal}) {verdict}"


GOALS = (
    Goal("events/p1/snappy", "wall", must=3.2, goal=5),
    Goal("events/p1/snappy", "cpu", must=3.5, goal=5),
    Goal("flights/p1/snappy", "wall", must=2, goal=3),
    Goal("flights/p1/snappy", "cpu", must=2, goal=3),
)


def main(pairs: Annotated[int, typer.Option(help="interleaved rounds that count, of each cell")] = 2) -> None:
    """Measure what the goals are of, and print a line for each."""
    results = Results.load(BUILD / "quick.json")
    for cell in dict.fromkeys(goal.cell for goal in GOALS):
        measure(Cell.parse(cell), pairs, "5 s", results)
    for goal in GOALS:
        known = results.cells[goal.cell]
        console.print(goal.line(known["runs"], known["rows"]), soft_wrap=True)


if __name__ == "__main__":
    typer.run(main)
