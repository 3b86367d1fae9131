"""What the bench concludes from its raw figures."""

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from bench.goals import Goal
from bench.report import cost_of, report


def _run(connector: str, number: int, wall: float, size: int = 100) -> dict[str, Any]:
    cpu = {"cpu": wall * 2, "cpu_jvm": wall, "cpu_writer": wall}
    beside = {"files": 3, "writer_memory": int(wall) << 20, "requests": {"UploadPart": 4, "CompleteMultipartUpload": 1}}
    return {"connector": connector, "round": number, "wall": wall, "bytes": size, **cpu, **beside}


RUNS = [
    _run("blackhole", 1, 10),
    _run("filesystem", 1, 16),
    _run("filesystem-bridge", 1, 12),
    _run("blackhole", 2, 20),
    _run("filesystem", 2, 28),
    _run("filesystem-bridge", 2, 24),
    _run("blackhole", 3, 10),
    _run("filesystem", 3, 20),
    _run("filesystem-bridge", 3, 11),
]


def test_cost_is_what_a_sink_adds_to_the_blackhole_run_of_its_own_round() -> None:
    """A slow round slows its blackhole run too, so each round is taken by itself."""
    assert cost_of(RUNS, "filesystem", "wall") == (6, 8, 10), "16-10, 28-20 and 20-10"
    assert cost_of(RUNS, "filesystem-bridge", "wall") == (1, 2, 4), "12-10, 24-20 and 11-10"


def test_the_ratio_is_of_medians() -> None:
    """One line a figure, with the number of rounds behind it."""
    out = StringIO()
    report(RUNS, 1_000_000, Console(file=out, width=200))
    assert "bench wall: filesystem-bridge vs filesystem = 4.00x less per row (medians of 3 rounds)" in out.getvalue(), "8 / 2"


def test_what_a_run_costs_beside_time_is_told() -> None:
    """Requests by operation and by GB of output, files, and the most that writers have held."""
    out = StringIO()
    report([run | {"bytes": 500_000_000} for run in RUNS], 1_000_000, Console(file=out, width=300))
    assert (
        "bench, filesystem-bridge: 3 files, 500 MB, 10 requests a GB (CompleteMultipartUpload 1, UploadPart 4);"
        " writers' memory at most 24 MiB" in out.getvalue()
    ), "5 requests for half a GB, and the highest of 12, 24 and 11 MiB"


def test_outputs_of_other_sizes_give_no_ratio() -> None:
    """Two sinks that wrote different amounts did not do the same work."""
    runs = [run | {"bytes": 120} if run["connector"] == "filesystem" else run for run in RUNS]
    with pytest.raises(SystemExit, match="17% apart"):
        report(runs, 1_000_000, Console(file=StringIO()))


@pytest.mark.parametrize(
    ("must", "goal", "verdict"), [(2, 4, "ok"), (4, 4.1, "short"), (4.5, 5, "short of its must")], ids=["ok", "short", "must"]
)
def test_a_goal_that_is_short_is_said_to_be_short(must: float, goal: float, verdict: str) -> None:
    """The bridge's 2 s are a quarter of the peer's 8 s."""
    line = Goal("events/p1/snappy", "wall", must, goal).line(RUNS, 1_000_000)

    assert line == f"goal events/p1/snappy wall: 2.00 µs vs 8.00 µs = 4.00x (must {must} goal {goal}) {verdict}", "said as it is"
