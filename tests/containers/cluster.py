"""The cluster of docker/compose.yaml by testcontainers: a JobManager, two TaskManagers, a SQL gateway, with docker/config.yaml."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from testcontainers.core.network import Network

from tests.containers.service import Service
from tests.containers.stores import StoreContainer
from tests.integration.faults import FaultPoints, Reached, wait_for
from tests.integration.lake import BUCKET
from tests.support.flink import ROOT, SHORT_LIVED, s3_config
from tests.support.rest import JobManager, SqlGateway

FAULTS = "/faults"


class TaskManager(Service):
    """With a folder of fault points of its own: who is held is known."""

    faults: FaultPoints

    def writers(self) -> list[int]:
        """Pids inside, of the writers that live."""
        return [int(pid) for pid in self.run("sh", "-c", "pgrep -f partition_bridge.[w]riter || true").split()]

    def kill_process(self, pid: int) -> None:
        self.run("kill", "-9", str(pid))


@dataclass
class ContainerCluster:
    """`shared` is a folder that all of its containers see, by the same path."""

    jobmanager: Service
    taskmanagers: list[TaskManager]
    gateway: Service
    jobs: JobManager
    sql: SqlGateway
    shared: Path
    savepoint_folder: str = f"s3://{BUCKET}/flink/savepoints"

    def wait_ready(self) -> None:
        """Wait until JobManager and gateway answer and all living TaskManagers have registered."""
        self.jobmanager.wait_ready(lambda: self.jobs.answers("/overview"))
        for count, each in enumerate(self.taskmanagers, 1):
            each.wait_ready(lambda count=count: len(self.jobs.taskmanagers()) >= count)  # type: ignore[misc]
        self.gateway.wait_ready(lambda: self.sql.answers("/v1/info"))

    @contextmanager
    def holding(self, point: str, **facts: Any) -> Iterator["Held"]:
        """While in it, whoever reaches the point waits there, on every TaskManager."""
        with ExitStack() as holds:
            looks = [(each, holds.enter_context(each.faults.holding(point, **facts))) for each in self.taskmanagers]
            yield Held(point, looks, holds.close)

    def clear_faults(self) -> None:
        for each in self.taskmanagers:
            each.faults.clear()


@dataclass
class Held:
    """Who waits at a fault point, until the holding's end or `let_go`."""

    point: str
    looks: Sequence[tuple[TaskManager, Callable[[], list[Reached]]]]
    let_go: Callable[[], None]

    def wait(self, timeout: float = 120) -> tuple[TaskManager, Reached]:
        """The first one, and the container that it's in."""

        def look() -> tuple[TaskManager, Reached] | None:
            return next(((each, found[0]) for each, held in self.looks if (found := held())), None)

        return wait_for(f"somebody at {self.point}", look, timeout)


def flat(nested: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Flink's keys of a nested configuration."""
    for name, value in nested.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def configuration(store: StoreContainer, config: Mapping[str, Any], java_options: str = "") -> dict[str, Any]:
    """docker/config.yaml with this store, and what makes tests quick."""
    shipped = dict(flat(YAML(typ="safe").load(ROOT / "docker" / "config.yaml")))
    return {
        **shipped,
        **s3_config(store),
        "s3.endpoint": store.inner_endpoint,
        # A job of two subtasks is on both TaskManagers.
        "taskmanager.numberOfTaskSlots": 1,
        "partition-bridge.fault-points": FAULTS,
        "env.java.opts.all": f"{shipped['env.java.opts.all'].strip()} {SHORT_LIVED} {java_options}".strip(),
        # 10 s are too few where all starts at once on busy cores.
        "pekko.startup-timeout": "120 s",
        "execution.checkpointing.timeout": "60 s",
        "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
        "heartbeat.interval": "2 s",
        "heartbeat.timeout": "20 s",
        "heartbeat.rpc-failure-threshold": 2,
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": 1_000_000,
        "restart-strategy.fixed-delay.delay": "200 ms",
        "web.refresh-interval": "200 ms",
        **config,
    }


@contextmanager
def running(
    network: Network,
    store: StoreContainer,
    folder: Path,
    *,
    image: str = "flink",
    config: Mapping[str, Any] | None = None,
    java_options: str = "",
    mounts: Mapping[Path, str] | None = None,
    memory: str = "2500m",
    environment: Mapping[str, str] | None = None,
) -> Iterator[ContainerCluster]:
    """A cluster that answers. The folder isn't for others' eyes: the configuration in it holds the store's keys."""
    shared = folder / "shared"
    shared.mkdir(parents=True)
    file = folder / "config.yaml"
    with file.open("w") as out:
        YAML(typ="safe").dump(configuration(store, config or {}, java_options), out)
    seen = {file: "/opt/flink/conf/config.yaml", shared: str(shared), **(mounts or {})}
    options: dict[str, Any] = {
        "environment": environment,
        "init": True,
        "read_only": True,
        "tmpfs": {"/tmp": "exec", "/opt/flink/log": "uid=9999"},  # as in docker/compose.yaml
    }
    taskmanagers = []
    for number in (1, 2):
        faults = folder / f"faults-{number}"
        faults.mkdir()
        faults.chmod(0o777)  # Flink's user in the container has no name here
        name, own = f"taskmanager-{number}", {**seen, faults: f"{FAULTS}:rw"}
        each = TaskManager(network, name, image, command=["taskmanager"], mounts=own, mem_limit=memory, **options)
        each.faults = FaultPoints(faults)
        taskmanagers.append(each)
    jobmanager = Service(network, "jobmanager", image, command=["jobmanager"], port=8081, mounts=seen, **options)
    gateway = Service(network, "gateway", image, command=["sql-gateway"], port=8083, mounts=seen, **options)
    with ExitStack() as started:
        for part in (jobmanager, *taskmanagers, gateway):
            started.enter_context(part)
        jobs, sql = JobManager(f"http://127.0.0.1:{jobmanager.port}"), SqlGateway(f"http://127.0.0.1:{gateway.port}")
        cluster = ContainerCluster(jobmanager, taskmanagers, gateway, jobs, sql, shared)
        cluster.wait_ready()
        yield cluster
