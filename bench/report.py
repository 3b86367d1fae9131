"""What a bench run says: medians of the sinks' costs, and a ratio where the work was the same."""

import statistics
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

STOCK, BRIDGE = "filesystem", "filesystem-bridge"
PEERS = ("blackhole", STOCK, BRIDGE)
SIZE_TOLERANCE = 0.10  # outputs further apart than this are not the same work

Runs = Sequence[dict[str, Any]]


def cost_of(runs: Runs, connector: str, figure: str) -> tuple[float, float, float]:
    """Lowest, median and highest cost of a sink in seconds: its run minus the blackhole run of the same round."""
    base = {run["round"]: run[figure] for run in runs if run["connector"] == "blackhole"}
    costs = [run[figure] - base[run["round"]] for run in runs if run["connector"] == connector]
    return min(costs), statistics.median(costs), max(costs)


def ratio(runs: Runs, figure: str) -> float:
    """How many times less the bridge costs than Flink's sink, by medians."""
    return cost_of(runs, STOCK, figure)[1] / cost_of(runs, BRIDGE, figure)[1]


def report(runs: Runs, rows: int, console: Console, cell: str = "bench") -> None:
    """Print costs per row and, if both outputs are of like size, the ratios."""
    table = Table(cell, "µs per row: low", "median", "high")
    for figure in ("wall", "cpu", "cpu_jvm", "cpu_writer"):
        for peer in (STOCK, BRIDGE):
            table.add_row(f"{figure}, {peer}", *(f"{each / rows * 1e6:.2f}" for each in cost_of(runs, peer, figure)))
    console.print(table)
    for peer in (STOCK, BRIDGE):
        console.print(f"{cell}, {peer}: {_beside(runs, peer)}")
    sizes = {peer: statistics.median(run["bytes"] for run in runs if run["connector"] == peer) for peer in (STOCK, BRIDGE)}
    apart = abs(sizes[BRIDGE] / sizes[STOCK] - 1)
    if apart > SIZE_TOLERANCE:
        raise SystemExit(f"no ratio: the outputs' sizes are {apart:.0%} apart ({sizes}), so the work was not the same")
    rounds = len({run["round"] for run in runs})
    for figure in ("wall", "cpu"):
        times = f"{ratio(runs, figure):.2f}x less per row (medians of {rounds} rounds)"
        console.print(f"{cell} {figure}: {BRIDGE} vs {STOCK} = {times}")


def _beside(runs: Runs, connector: str) -> str:
    """What a run costs beside time: requests, files and memory, medians of all rounds."""
    own = [run for run in runs if run["connector"] == connector]
    gigabytes = statistics.median(run["bytes"] for run in own) / 1e9
    operations = sorted({operation for run in own for operation in run["requests"]})
    counts = {operation: statistics.median(run["requests"].get(operation, 0) for run in own) for operation in operations}
    requests = ", ".join(f"{operation} {count:g}" for operation, count in counts.items())
    files = statistics.median(run["files"] for run in own)
    memory = max(run["writer_memory"] for run in own) / (1 << 20)
    return (
        f"{files:g} files, {gigabytes * 1e3:.0f} MB, {sum(counts.values()) / gigabytes:.0f} requests a GB ({requests});"
        f" writers' memory at most {memory:.0f} MiB"
    )
