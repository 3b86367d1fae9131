"""`make bench`: the bridge against Flink's own sink, interleaved in one run, the source's cost subtracted.

Each round runs the same bounded streaming job into `blackhole`, into Flink's `filesystem` on s3-fs-native and into
`filesystem-bridge`, on one cluster and one S3 server. The cost of a sink is its run minus the blackhole run of the same
round. A ratio is printed only when every output was proven complete.
"""

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bench.cell import Cell
from bench.job import Bench
from bench.report import PEERS, report
from bench.results import Results
from tests.support.flink import ROOT

BUILD = ROOT / "build" / "bench"

console = Console()


def measure(cell: Cell, pairs: int, checkpoint: str, results: Results) -> None:
    """Bring the cell to `pairs` rounds, after one for warming up, and print what they say."""
    workload = cell.rows_in(BUILD)
    workload.prepare()
    done = results.begin(str(cell), commit(), workload.rows)
    missing = pairs - len(done) // len(PEERS)
    if missing > 0:
        console.print(f"{cell}: {workload.rows} rows, {missing} rounds after one for warming up, {os.cpu_count()} cores")
        with (
            tempfile.TemporaryDirectory(prefix="bridge-bench-") as folder,
            Bench(Path(folder) / "flink", cell, workload, checkpoint) as bench,
        ):
            for number in (0, *range(pairs - missing + 1, pairs + 1)):
                # The order turns from round to round, so that no sink always runs on a warmer machine.
                order = PEERS[number % len(PEERS) :] + PEERS[: number % len(PEERS)]
                runs = []
                for connector in order:
                    runs.append(bench.run(connector, number))
                    console.print(f"round {number} {connector}: wall {runs[-1]['wall']:.1f} s, cpu {runs[-1]['cpu']:.1f} s")
                if number > 0:
                    results.add(str(cell), runs)
    report(results.cells[str(cell)]["runs"], workload.rows, console, str(cell))


def commit() -> str:
    """The commit that is measured, and whether anything differs from it."""
    described = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(described, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def main(
    cells: Annotated[
        list[str] | None, typer.Argument(help="workload/parallelism/codec; events/p1/snappy and flights' where none is named")
    ] = None,
    pairs: Annotated[int, typer.Option(help="interleaved rounds that count")] = 5,
    checkpoint: Annotated[str, typer.Option(help="checkpoint interval")] = "5 s",
    out: Annotated[Path, typer.Option(help="where the raw figures are, and go")] = BUILD / "bench.json",
) -> None:
    """Measure the cost per row of the bridge and of Flink's sink; print medians and their ratio."""
    results = Results.load(out)
    for cell in [Cell.parse(each) for each in cells or ["events/p1/snappy", "flights/p1/snappy"]]:
        measure(cell, pairs, checkpoint, results)
    console.print(f"raw figures: {out}")


if __name__ == "__main__":
    typer.run(main)
