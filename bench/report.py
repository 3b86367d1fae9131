"""What a bench run says: medians of the sinks' costs, a ratio where the work was the same, and the raw figures."""

import json
import os
import platform
import statistics
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
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


def report(runs: Runs, rows: int, console: Console) -> None:
    """Print costs per row and, if both outputs are of like size, the ratios."""
    table = Table("cost of the sink", "µs per row: low", "median", "high")
    for figure in ("wall", "cpu"):
        for peer in (STOCK, BRIDGE):
            table.add_row(f"{figure}, {peer}", *(f"{each / rows * 1e6:.2f}" for each in cost_of(runs, peer, figure)))
    console.print(table)
    sizes = {peer: statistics.median(run["bytes"] for run in runs if run["connector"] == peer) for peer in (STOCK, BRIDGE)}
    apart = abs(sizes[BRIDGE] / sizes[STOCK] - 1)
    if apart > SIZE_TOLERANCE:
        raise SystemExit(f"no ratio: the outputs' sizes are {apart:.0%} apart ({sizes}), so the work was not the same")
    for figure in ("wall", "cpu"):
        stock, bridge = (cost_of(runs, peer, figure)[1] for peer in (STOCK, BRIDGE))
        rounds = len({run["round"] for run in runs})
        console.print(f"bench {figure}: {BRIDGE} vs {STOCK} = {stock / bridge:.2f}x less per row (medians of {rounds} rounds)")


def save(runs: Runs, rows: int, commit: str, out: Path) -> None:
    """Write the raw figures with what is needed to judge them."""
    machine = {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "pyarrow": pa.__version__,
        "kernel": platform.release(),
    }
    time = datetime.now(timezone.utc).isoformat(timespec="seconds")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(
        json.dumps({"time": time, "commit": commit, "rows": rows, "machine": machine, "runs": list(runs)}, indent=1) + "\n"
    )
