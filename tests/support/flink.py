"""A standalone Flink cluster on loopback from pip's Flink: JobManager, TaskManagers and a SQL gateway as processes.

Flink's own scripts start them (in the foreground, so that the process is the JVM). Nothing of the installed package is
changed: configuration, jars, plugins and logs have folders of their own.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.support.launches import ScriptedServer
from tests.support.ports import free_ports
from tests.support.process import ServerFailed, ServerProcess
from tests.support.rest import JobManager, SqlGateway
from tests.support.running import Running
from tests.support.servers import S3Endpoint

ROOT = Path(__file__).resolve().parents[2]
JARS = Path(os.environ.get("PARTITION_BRIDGE_TEST_JARS", ROOT / "build" / "jars"))
"""The jars that pip's Flink lacks; `make matrix` names those of an older line."""
PLUGIN = "s3-fs-hadoop" if "PARTITION_BRIDGE_TEST_JARS" in os.environ else "s3-fs-native"
"""Flink's S3 file system of the test clusters. There is no s3-fs-native before Flink 2.3."""
# Else it tries for minutes to remove the folders of a store that has folders, such as versitygw.
OF_PLUGIN = {"fs.s3a.directory.marker.retention": "keep"} if PLUGIN == "s3-fs-hadoop" else {}
SHIM = "PARTITION_BRIDGE_SHIM"
READY_TIMEOUT = 120.0  # seconds; a JVM on busy cores


def flink_home() -> Path:
    """The installed PyFlink: it brings Flink's distribution, scripts included."""
    spec = importlib.util.find_spec("pyflink")
    if spec is None or spec.origin is None:
        raise ServerFailed("no PyFlink: pip install apache-flink==2.3.0")
    return Path(spec.origin).parent


def shim_jar() -> Path:
    """The jar that `make jar` builds, or another one that a mutant's run names."""
    if SHIM in os.environ:
        return Path(os.environ[SHIM])
    found = sorted((ROOT / "java-shim" / "target").glob("flink-partition-bridge-*.jar"))
    built = [each for each in found if not each.stem.endswith(("-sources", "-tests"))]
    if len(built) != 1:
        raise ServerFailed(f"{len(built)} shim jars in java-shim/target, not one: mvn -f java-shim/pom.xml package")
    return built[0]


def s3_config(server: S3Endpoint) -> dict[str, str]:
    """Flink's keys for a store, as both S3 plugins and the bridge read them."""
    return {
        "s3.endpoint": server.endpoint,
        "s3.region": server.region,
        "s3.path.style.access": "true",
        "s3.path-style-access": "true",
        "s3.access-key": server.access_key,
        "s3.secret-key": server.secret_key,
        **OF_PLUGIN,
    }


SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For JVMs that end before a better compiler pays. Nothing may be measured with it."""


class FlinkCluster(Running):
    """A cluster that lives in `folder`: conf, lib, plugins, logs, checkpoints, savepoints.

    `jars` go to lib/; `config` overrides any of the defaults below. Killed processes can be started again:
    the JobManager keeps its address and forgets its jobs (there is no high availability), TaskManagers register anew.
    """

    def __init__(
        self,
        folder: Path,
        *,
        slots: int = 4,
        taskmanagers: int = 1,
        jars: Sequence[Path] = (),
        plugin: str = PLUGIN,
        config: Mapping[str, Any] | None = None,
        java_options: str = SHORT_LIVED,
    ) -> None:
        self.folder = folder
        self._options = java_options
        self.home = flink_home()
        self.checkpoints = folder / "checkpoints"
        self.savepoints = folder / "savepoints"
        self.logs = folder / "logs"
        for each in (folder, self.checkpoints, self.savepoints, self.logs, folder / "pids", folder / "io"):
            each.mkdir(parents=True, exist_ok=True)
        rpc, rest, gateway = free_ports(3)
        self.jobs = JobManager(f"http://127.0.0.1:{rest}")
        self.sql = SqlGateway(f"http://127.0.0.1:{gateway}")
        self._link_jars(jars, plugin)
        self._config = {**self._defaults(slots, rpc, rest, gateway), **(config or {})}
        self._write_config(self._config)
        self.jobmanager = self._process("jobmanager.sh")
        self.gateway = self._process("sql-gateway.sh")
        self.taskmanagers = [self._process("taskmanager.sh", number) for number in range(taskmanagers)]

    def start(self) -> None:
        for each in (self.jobmanager, *self.taskmanagers, self.gateway):
            each.start()
        self.wait_ready()
        self.gateway.wait_ready(lambda: self.sql.answers("/v1/info"), READY_TIMEOUT)

    def wait_ready(self) -> None:
        """Wait until the JobManager answers and every living TaskManager has registered."""
        self.jobmanager.wait_ready(lambda: self.jobs.answers("/overview"), READY_TIMEOUT)
        for number, each in enumerate(self.taskmanagers):
            alive = sum(taskmanager.alive for taskmanager in self.taskmanagers[: number + 1])
            each.wait_ready(lambda alive=alive: len(self.jobs.taskmanagers()) >= alive, READY_TIMEOUT)  # type: ignore[misc]

    def add_taskmanager(self) -> ServerProcess:
        """Start one more TaskManager, as a resource provider does after one has died."""
        added = self._process("taskmanager.sh", len(self.taskmanagers))
        self.taskmanagers.append(added)
        added.start()
        return added

    def restart_jobmanager(self) -> None:
        """Start the killed JobManager again at its address, and wait for it. Jobs must be submitted again."""
        self.jobmanager.start()
        self.jobmanager.wait_ready(lambda: self.jobs.answers("/overview"), READY_TIMEOUT)

    def run_python(self, script: Path, *arguments: str, python: str = sys.executable) -> str:
        """`flink run` of a PyFlink script, to the end of its job; what it printed. Raises `ServerFailed` with that if it fails.

        `python` is the interpreter on the TaskManagers.
        """
        interpreter = ["--pyExecutable", python, "--pyClientExecutable", sys.executable]
        command = ["/bin/bash", str(self.home / "bin" / "flink"), "run", *interpreter, "--python", str(script), *arguments]
        run = subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if run.returncode != 0:
            raise ServerFailed(f"flink run {script.name} exited with {run.returncode}:\n{run.stdout[-10_000:]}")
        return run.stdout

    def stop(self) -> None:
        for each in (self.gateway, *self.taskmanagers, self.jobmanager):
            each.stop()

    @property
    def savepoint_folder(self) -> str:
        return self.savepoints.as_uri()

    def logged(self, files: str) -> str:
        """All that stands in the log files of these names."""
        return "".join(each.read_text(errors="replace") for each in self.logs.glob(files))

    def latest_checkpoint(self, job: str) -> Path:
        """The newest complete checkpoint of a job among those that Flink has retained on disk."""
        complete = self.checkpoints_of(job)
        if not complete:
            raise ServerFailed(f"no complete checkpoint of job {job} under {self.checkpoints}")
        return complete[-1]

    def checkpoints_of(self, job: str) -> list[Path]:
        """The complete checkpoints of a job that are on disk, oldest first."""
        complete = [each for each in self.retained_checkpoints() if each.parent.name == job]
        return sorted(complete, key=lambda each: int(each.name.removeprefix("chk-")))

    def retained_checkpoints(self, *, finished: str = "") -> list[Path]:
        """The complete checkpoints of all jobs that Flink has left on disk. Those of a `finished` job it removes, at a time of its own."""
        return [each.parent for each in self.checkpoints.glob("*/chk-*/_metadata") if each.parents[1].name != finished]

    def _defaults(self, slots: int, rpc: int, rest: int, gateway: int) -> dict[str, Any]:
        return {
            "jobmanager.rpc.address": "127.0.0.1",
            "jobmanager.bind-host": "127.0.0.1",
            "jobmanager.rpc.port": rpc,
            "rest.address": "127.0.0.1",
            "rest.bind-address": "127.0.0.1",
            "rest.port": rest,
            "taskmanager.host": "127.0.0.1",
            "taskmanager.bind-host": "127.0.0.1",
            "sql-gateway.endpoint.rest.address": "127.0.0.1",
            "sql-gateway.endpoint.rest.bind-address": "127.0.0.1",
            "sql-gateway.endpoint.rest.port": gateway,
            "jobmanager.memory.heap.size": "600m",
            "jobmanager.memory.off-heap.size": "128m",
            "taskmanager.numberOfTaskSlots": slots,
            "taskmanager.memory.framework.heap.size": "128m",
            "taskmanager.memory.framework.off-heap.size": "128m",
            "taskmanager.memory.task.heap.size": "512m",
            "taskmanager.memory.task.off-heap.size": "128m",
            "taskmanager.memory.managed.size": "64m",
            "taskmanager.memory.network.min": "64m",
            "taskmanager.memory.network.max": "64m",
            "taskmanager.memory.jvm-overhead.max": "192m",
            "env.java.opts.all": self._java_options(),
            "env.java.opts.sql-gateway": "-Xmx512m",
            "execution.target": "remote",
            "execution.checkpointing.dir": self.checkpoints.as_uri(),
            "execution.checkpointing.savepoint-dir": self.savepoints.as_uri(),
            "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
            "io.tmp.dirs": str(self.folder / "io"),
            # A killed process is noticed within seconds, a JVM that waits for a core is not taken for dead.
            "heartbeat.interval": "2 s",
            "heartbeat.timeout": "20 s",
            "heartbeat.rpc-failure-threshold": 2,
            "restart-strategy.type": "fixed-delay",
            "restart-strategy.fixed-delay.attempts": 20,
            "restart-strategy.fixed-delay.delay": "1 s",
            "metrics.fetcher.update-interval": "1 s",
            # What REST tells is as old as this; Flink's own 3 s would be waited for at every step of a test.
            "web.refresh-interval": "200 ms",
            "python.executable": sys.executable,
        }

    def _java_options(self) -> str:
        """The module options that Flink's shipped configuration gives every JVM, and those of this cluster's."""
        shipped = YAML(typ="safe").load(self.home / "conf" / "config.yaml")
        return f"{shipped['env']['java']['opts']['all']} {self._options}".strip()

    def _write_config(self, config: Mapping[str, Any]) -> None:
        conf = self.folder / "conf"
        conf.mkdir()
        for each in (self.home / "conf").glob("log*"):
            shutil.copy(each, conf)
        target = conf / "config.yaml"
        target.touch(mode=0o600)  # it holds the store's keys
        with target.open("w") as out:
            YAML(typ="safe").dump(dict(config), out)

    def _link_jars(self, jars: Sequence[Path], plugin: str) -> None:
        if not (JARS / "lib").is_dir():
            raise ServerFailed("no build/jars: mvn -q -B -f tests/support/flink-jars/pom.xml generate-resources")
        folders = {
            self.folder / "lib": [*(self.home / "lib").glob("*.jar"), *(JARS / "lib").glob("*.jar"), *jars],
            self.folder / "opt": [*(self.home / "opt").glob("*.jar"), *(JARS / "opt").glob("*.jar")],
            self.folder / "plugins" / plugin: list((JARS / "plugins" / plugin).glob("*.jar")),
        }
        for folder, files in folders.items():
            folder.mkdir(parents=True)
            for each in files:
                (folder / each.name).symlink_to(each)

    def _process(self, script: str, number: int = 0) -> ServerProcess:
        name = re.sub(r"\.sh$", "", script) + (f"-{number}" if script.startswith("taskmanager") else "")
        command = ["/bin/bash", str(self.home / "bin" / script), "start-foreground"]
        return ScriptedServer(name, command, self._environment(), self.folder, self._config, number)

    def _environment(self) -> dict[str, str]:
        """For Flink's scripts: the cluster's own folders, and of this process' variables only those that Java needs."""
        paths = [str(ROOT / "bridge"), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        kept = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "JAVA_HOME", "LANG", "TMPDIR", "USER")}
        return {
            **kept,
            "FLINK_HOME": str(self.home),
            "FLINK_CONF_DIR": str(self.folder / "conf"),
            "FLINK_LIB_DIR": str(self.folder / "lib"),
            "FLINK_OPT_DIR": str(self.folder / "opt"),
            "FLINK_PLUGINS_DIR": str(self.folder / "plugins"),
            "FLINK_LOG_DIR": str(self.logs),
            "FLINK_PID_DIR": str(self.folder / "pids"),
            "PYTHONPATH": os.pathsep.join(paths),
        }
