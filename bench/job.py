"""Runs of one cell: one cluster, one S3 server with its data in memory where the machine has /dev/shm, a job a run."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from bench.cell import Cell
from bench.measure import CpuMeter, PeakMemory
from bench.requests import AccessLog
from bench.workload import Workload
from tests.support.flink import FlinkCluster, s3_config, shim_jar
from tests.support.servers import Versitygw

BUCKET = "bench"


class Bench:
    """The cluster and the server, for as long as the `with`."""

    def __init__(self, folder: Path, cell: Cell, workload: Workload, checkpoint: str) -> None:
        memory = Path("/dev/shm")
        self._data = Path(tempfile.mkdtemp(prefix="bridge-bench-", dir=memory if memory.is_dir() else None))
        self._server = Versitygw(self._data)
        self._requests = AccessLog(self._data / "access.log")
        self._server.access_log = self._requests.path
        self._folder = folder
        self._cell = cell
        self._workload = workload
        self._checkpoint = checkpoint

    def __enter__(self) -> "Bench":
        self._server.start()
        self._server.create_bucket(BUCKET)
        config = {
            **s3_config(self._server),
            "restart-strategy.type": "none",
            "execution.checkpointing.interval": self._checkpoint,
            "taskmanager.memory.task.heap.size": "1g",
            "parallelism.default": self._cell.parallelism,
        }
        self._cluster = FlinkCluster(self._folder, jars=[shim_jar()], config=config, java_options="")
        self._cluster.start()
        self._cluster.sql.execute(self._workload.source_ddl())
        return self

    def __exit__(self, *ignored: object) -> None:
        self._cluster.stop()
        self._server.stop()
        shutil.rmtree(self._data, ignore_errors=True)

    def run(self, connector: str, number: int) -> dict[str, Any]:
        """One job; its cost in seconds and, but for blackhole, what its output was. Raises `SystemExit` for a wrong output."""
        name = f"{connector.replace('-', '_')}_{number}"
        options = {"connector": connector}
        if connector != "blackhole":
            options |= {"path": f"s3://{BUCKET}/{name}", "format": "parquet", "sink.partition-commit.policy.kind": "success-file"}
            options |= self._cell.options
        self._cluster.sql.execute(self._workload.sink_ddl(name, options))
        taskmanagers = [each.pid for each in self._cluster.taskmanagers]
        meter = CpuMeter(taskmanagers)
        before = meter.settled()
        self._requests.news()
        with PeakMemory(taskmanagers) as memory:
            (row,) = self._cluster.sql.execute(f"INSERT INTO {name} SELECT * FROM source")
            job = str(row[0])
            self._cluster.jobs.wait(job, timeout=900)
        wall = self._cluster.jobs.job(job)["duration"] / 1000
        cpu = meter.settled() - before
        result: dict[str, Any] = {"connector": connector, "round": number, "wall": wall, "cpu": cpu.own + cpu.children}
        result |= {"cpu_jvm": cpu.own, "cpu_writer": cpu.children, "checkpoints": self._cluster.jobs.completed_checkpoints(job)}
        if connector != "blackhole":
            result |= {"writer_memory": memory.bytes, "requests": dict(self._requests.news())}
            result |= self._output(name)
        return result

    def _output(self, name: str) -> dict[str, Any]:
        """Prove the output complete, count it, and make room for the next run."""
        table = self._data / "data" / BUCKET / name
        found = self._workload.summary(f"read_parquet('{table}/*/part-*', hive_partitioning=true)")
        if found != self._workload.reference:
            raise SystemExit(f"{name}: output differs from the source\nsource {self._workload.reference}\noutput {found}")
        files = list(table.glob("*/part-*"))
        size = sum(each.stat().st_size for each in files)
        shutil.rmtree(table)
        return {"files": len(files), "bytes": size}
