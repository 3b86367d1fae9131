"""`make bench`: the bridge against Flink's own sink, interleaved in one run, the source's cost subtracted.

Each round runs the same bounded streaming job into `blackhole`, into Flink's `filesystem` on s3-fs-native and into
`filesystem-bridge`, on one cluster and one S3 server (versitygw, data in memory where the machine has /dev/shm). The cost of a sink is its run
minus the blackhole run of the same round. A ratio is printed only when every output was proven complete.
"""

import os
import shutil
import subprocess
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from bench.measure import Cost, CpuMeter
from bench.report import PEERS, report, save
from bench.workload import Flights, insert, sink_ddl, summary
from tests.support.flink import ROOT, FlinkCluster, s3_config, shim_jar
from tests.support.servers import Versitygw

BUCKET = "bench"

console = Console()


class Bench:
    """One cluster and one server, and the runs on them."""

    def __init__(self, folder: Path, flights: Flights, checkpoint: str) -> None:
        memory = Path("/dev/shm")
        self._data = Path(tempfile.mkdtemp(prefix="bridge-bench-", dir=memory if memory.is_dir() else None))
        self._server = Versitygw(self._data)
        self._folder = folder
        self._flights = flights
        self._checkpoint = checkpoint
        self._reference = flights.reference()

    def __enter__(self) -> "Bench":
        self._server.start()
        self._server.create_bucket(BUCKET)
        config = {
            **s3_config(self._server),
            "restart-strategy.type": "none",
            "execution.checkpointing.interval": self._checkpoint,
            "taskmanager.memory.task.heap.size": "1g",
            "parallelism.default": 1,
        }
        self._cluster = FlinkCluster(self._folder, jars=[shim_jar()], config=config, java_options="")
        self._cluster.start()
        self._cluster.sql.execute(self._flights.source_ddl())
        return self

    def __exit__(self, *ignored: object) -> None:
        self._cluster.stop()
        self._server.stop()
        shutil.rmtree(self._data, ignore_errors=True)

    def run(self, connector: str, number: int) -> dict[str, Any]:
        """One job; its cost and, but for blackhole, what its output was."""
        name = f"{connector.replace('-', '_')}_{number}"
        options = {"connector": connector}
        if connector != "blackhole":
            options |= {"path": f"s3://{BUCKET}/{name}", "format": "parquet", "sink.partition-commit.policy.kind": "success-file"}
        self._cluster.sql.execute(sink_ddl(name, options))
        meter = CpuMeter([each.pid for each in self._cluster.taskmanagers])
        before = meter.settled()
        (row,) = self._cluster.sql.execute(insert(name))
        job = str(row[0])
        self._cluster.jobs.wait(job, timeout=900)
        cost = Cost(wall=self._cluster.jobs.job(job)["duration"] / 1000, cpu=meter.settled() - before)
        result: dict[str, Any] = {"connector": connector, "round": number, **asdict(cost)}
        result["checkpoints"] = self._cluster.jobs.completed_checkpoints(job)
        if connector != "blackhole":
            result |= self._output(name)
        return result

    def _output(self, name: str) -> dict[str, Any]:
        """Prove the output complete, count it, and make room for the next run."""
        table = self._data / "data" / BUCKET / name
        found = summary(f"read_parquet('{table}/*/part-*', hive_partitioning=true)")
        if found != self._reference:
            raise SystemExit(f"{name}: output differs from the source\nsource {self._reference}\noutput {found}")
        files = list(table.glob("*/part-*"))
        size = sum(each.stat().st_size for each in files)
        shutil.rmtree(table)
        return {"files": len(files), "bytes": size}


def main(
    copies: Annotated[int, typer.Option(help="copies of the 336,776 flights; 15 are 5 M rows")] = 15,
    pairs: Annotated[int, typer.Option(help="interleaved rounds that count")] = 5,
    checkpoint: Annotated[str, typer.Option(help="checkpoint interval")] = "5 s",
    out: Annotated[Path | None, typer.Option(help="where the raw figures go")] = None,
) -> None:
    """Measure the cost per row of the bridge and of Flink's sink; print medians and their ratio."""
    flights = Flights(ROOT / "build" / "bench" / f"flights-{copies}", copies)
    flights.prepare()
    rows = flights.rows
    console.print(f"{rows} rows, {pairs} rounds after one for warming up, {os.cpu_count()} cores")
    runs: list[dict[str, Any]] = []
    with (
        tempfile.TemporaryDirectory(prefix="bridge-bench-") as folder,
        Bench(Path(folder) / "flink", flights, checkpoint) as bench,
    ):
        for number in range(pairs + 1):
            # The order turns from round to round, so that no sink always runs on a warmer machine.
            order = PEERS[number % len(PEERS) :] + PEERS[: number % len(PEERS)]
            for connector in order:
                run = bench.run(connector, number)
                console.print(f"round {number} {connector}: wall {run['wall']:.1f} s, cpu {run['cpu']:.1f} s")
                if number > 0:
                    runs.append(run)
    target = out or ROOT / "build" / "bench" / "flights.json"
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    save(runs, rows, commit, target)
    console.print(f"raw figures: {target}")
    report(runs, rows, console)


if __name__ == "__main__":
    typer.run(main)
