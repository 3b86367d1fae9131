"""Whoever is lost at the worst moment: each row comes out once, and the metastore lists what has `_SUCCESS`, at no time less.

Who: a writer, a TaskManager, the JobManager (of a cluster that keeps its jobs in ZooKeeper), the store, the metastore, the network of a
TaskManager. When: see MOMENTS; whoever comes there is held until the blow has fallen.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product

import pytest
from testcontainers.core.network import Network

from tests.containers import cluster as clusters
from tests.containers.cluster import ContainerCluster, TaskManager
from tests.containers.registry import agree, polled, registered
from tests.containers.service import Service
from tests.containers.stores import MetastoreContainer, StoreContainer
from tests.integration.faults import wait_for
from tests.integration.jobs import Job
from tests.integration.lake import MULTIPART, SqlLake
from tests.integration.rows import Rows

pytestmark = pytest.mark.containers

PATIENCE = 300.0
AWAY = 3.0  # seconds that a server is away
MOMENTS = {
    "mid-file": ("after-part", {"number": 1}),
    "between-acknowledgements": ("barrier-before-ready", {}),
    "mid-commit": ("commit-before-complete", {}),
    "mid-policy": ("metastore-after-put", {}),
}
WHO = ("writer", "taskmanager", "jobmanager", "store", "metastore", "network")
PAIRS = 2
"""Drawn out of 120, by the seed of the faults; other seeds, other pairs."""
LARGE = {**MULTIPART, "parquet.compression": "UNCOMPRESSED", "parquet.block.size": str(1 << 20)}


@pytest.fixture(scope="module")
def cluster(network: Network, store: StoreContainer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContainerCluster]:
    """A cluster whose jobs outlive its JobManager."""
    folder = tmp_path_factory.mktemp("containers")
    jobs = folder / "jobs"
    jobs.mkdir()
    jobs.chmod(0o777)  # Flink's user in the container has no name here
    quorum = folder / "zoo.cfg"
    quorum.write_text(
        "tickTime=2000\ninitLimit=10\nsyncLimit=5\ndataDir=/tmp/zookeeper\nclientPort=2181\nadmin.enableServer=false\n"
        "server.1=zookeeper:2888:3888\n"
    )
    config = {
        "high-availability.type": "zookeeper",
        "high-availability.zookeeper.quorum": "zookeeper:2181",
        "high-availability.storageDir": "file:///jobs",
        "high-availability.zookeeper.client.session-timeout": "10 s",
        "heartbeat.timeout": "10 s",
    }
    keeper = Service(
        network,
        "zookeeper",
        "flink",
        command=["zookeeper"],
        mounts={quorum: "/opt/flink/conf/zoo.cfg"},
        tmpfs={"/tmp": "", "/opt/flink/log": "uid=9999"},
        mem_limit="600m",
    )
    with keeper, clusters.running(network, store, folder, config=config, mounts={jobs: "/jobs:rw"}) as running:
        yield running


class Blows:
    """Each ends with everything running again; `job` goes on by itself."""

    def __init__(self, cluster: ContainerCluster, store: StoreContainer, metastore: MetastoreContainer) -> None:
        self.cluster, self._store, self.metastore_server = cluster, store, metastore

    def writer(self, taskmanager: TaskManager, _: Job) -> None:
        taskmanager.kill_process(wait_for("a writer", taskmanager.writers, PATIENCE)[0])

    def taskmanager(self, taskmanager: TaskManager, _: Job) -> None:
        taskmanager.kill()
        taskmanager.start()

    def jobmanager(self, _: TaskManager, job: Job) -> None:
        self.cluster.jobmanager.kill()
        self.cluster.jobmanager.start()
        self.cluster.wait_ready()
        wait_for("the job in the new JobManager", lambda: self.cluster.jobs.answers(f"/jobs/{job.id}"), PATIENCE)

    def store(self, *_: object) -> None:
        self._store.service.kill()
        time.sleep(AWAY)
        self._store.start()

    def metastore(self, *_: object) -> None:
        self.metastore_server.service.kill()
        time.sleep(AWAY)
        self.metastore_server.start()

    def network(self, taskmanager: TaskManager, job: Job) -> None:
        """Until the JobManager has given the TaskManager up."""
        job.runs()
        seen = job.failures()
        with taskmanager.cut_off():
            job.fails_over(seen, running=False)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The pairs of blows that the seed draws."""
    if "pair" in metafunc.fixturenames:
        every = list(product(permutations(WHO, 2), MOMENTS))
        drawn = random.Random(metafunc.config.getoption("--fault-seed")).sample(every, PAIRS)
        metafunc.parametrize(("pair", "moment"), drawn, ids=["-".join([*pair, moment]) for pair, moment in drawn])


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("who", WHO)
def test_chaos(
    lake: SqlLake,
    cluster: ContainerCluster,
    store: StoreContainer,
    metastore: MetastoreContainer,
    who: str,
    moment: str,
    record_property: Callable[[str, object], None],
) -> None:
    """Somebody is at the moment and is held there, the blow falls, the job ends by itself: audit, metastore, nothing seen early."""
    restarts = struck(lake, Blows(cluster, store, metastore), [who], moment, record_property)
    assert restarts or who not in ("writer", "taskmanager", "network"), "the blow has struck: the job was restarted"


def test_two_are_lost(
    lake: SqlLake,
    cluster: ContainerCluster,
    store: StoreContainer,
    metastore: MetastoreContainer,
    pair: tuple[str, str],
    moment: str,
    record_property: Callable[[str, object], None],
) -> None:
    """The second blow falls before the job has recovered from the first."""
    restarts = struck(lake, Blows(cluster, store, metastore), pair, moment, record_property)
    # A new JobManager counts from 0.
    expected = pair[1] != "jobmanager" and bool({"writer", "taskmanager", "network"} & {*pair})
    assert restarts or not expected, "the blows have struck: the job was restarted"


def struck(lake: SqlLake, blows: Blows, whos: Sequence[str], moment: str, record_property: Callable[[str, object], None]) -> int:
    """A job with somebody held at the moment, all blows, the job's end and all that must be so then. How often Flink has restarted it."""
    point, facts = MOMENTS[moment]
    rows = Rows(6_000, per_day=2_000, fat=300)
    table = registered(lake, rows, blows.metastore_server, LARGE)
    with blows.cluster.holding(point, **facts) as held:
        job = lake.stream(table, rows, per_second=1_000, parallelism=2, checkpoint="2 s")
        with polled(blows.metastore_server, table) as watch:
            taskmanager, _ = held.wait()
            began = time.monotonic()
            for who in whos:
                blow: Callable[[TaskManager, Job], None] = getattr(blows, who)
                blow(taskmanager, job)
            held.let_go()
            job.finishes(PATIENCE)
    record_property("seconds from the blow", round(time.monotonic() - began, 1))
    restarts = blows.cluster.jobs.restarts(job.id)
    record_property("restarts", restarts)
    record_property("looks at store and metastore", watch.looks)
    record_property("uploads left to orphans", table.remove_orphans())
    agree(blows.metastore_server, table, rows)
    return restarts
