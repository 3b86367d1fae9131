"""Kafka as the source of a job: a broker of its own controllers' quorum (KRaft), and Flink's connector for it."""

from collections.abc import Iterator

import pytest
from testcontainers.core.network import Network

from tests.containers import cluster as clusters
from tests.containers.cluster import ContainerCluster
from tests.containers.registry import agree, polled, registered
from tests.containers.service import Service
from tests.containers.stores import MetastoreContainer, StoreContainer
from tests.containers.test_smoke import LARGE
from tests.integration.lake import SqlLake
from tests.integration.rows import Rows
from tests.support.flink import JARS

pytestmark = pytest.mark.containers

PATIENCE = 300.0
SETTINGS = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@kafka:9093
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://:9092,CONTROLLER://:9093
advertised.listeners=PLAINTEXT://kafka:9092
log.dirs=/tmp/kafka
num.partitions=2
offsets.topic.replication.factor=1
"""
START = """\
kafka() { java -Xmx400m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '/opt/kafka/*' "$@"; }
kafka kafka.tools.StorageTool format --cluster-id AAAAAAAAAAAAAAAAAAAAAA --config /etc/kafka.properties && kafka kafka.Kafka /etc/kafka.properties
"""


@pytest.fixture(scope="module")
def kafka(network: Network, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One broker, whose topics have two partitions."""
    settings = tmp_path_factory.mktemp("kafka") / "kafka.properties"
    settings.write_text(SETTINGS)
    mounts = {settings: "/etc/kafka.properties", JARS / "kafka": "/opt/kafka"}
    broker = Service(
        network, "kafka", "flink", command=["bash", "-c", START], mounts=mounts, tmpfs={"/tmp": ""}, init=True, mem_limit="900m"
    )
    with broker:
        broker.wait_ready(lambda: "Kafka Server started" in broker.tail(400))
        yield broker


@pytest.fixture(scope="module")
def cluster(network: Network, store: StoreContainer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContainerCluster]:
    """With Kafka's connector in Flink's lib."""
    jars = {each: f"/opt/flink/lib/{each.name}" for each in (JARS / "connectors").glob("flink-sql-connector-kafka-*.jar")}
    with clusters.running(network, store, tmp_path_factory.mktemp("containers"), mounts=jars) as running:
        yield running


def topic(name: str, watermark: str = "") -> str:
    """DDL of the table `numbers` that is the topic's: an id and its event time."""
    return f"""
CREATE TEMPORARY TABLE {name} (id BIGINT, ts TIMESTAMP(3){watermark}) WITH (
  'connector' = 'kafka', 'topic' = 'numbers', 'properties.bootstrap.servers' = 'kafka:9092',
  'properties.group.id' = 'bridge', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json'
);
"""


@pytest.mark.usefixtures("kafka")
def test_rows_of_a_topic(lake: SqlLake, cluster: ContainerCluster, metastore: MetastoreContainer) -> None:
    """Event time of a topic's records commits days. A TaskManager is killed in the middle of a file: it's read again from the checkpoint's offsets,
    and each record is there once when the job has been stopped with a drain.
    """
    rows = Rows(6_000, per_day=1_000, fat=300)
    table = registered(lake, rows, metastore, LARGE)
    settings = {"parallelism.default": "2", "execution.checkpointing.interval": "1 s"}
    filled = lake.insert(rows.source(3_000) + topic("topic"), "INSERT INTO topic SELECT id, ts FROM numbers", settings)
    filled.finishes(PATIENCE)

    with cluster.holding("after-part", number=1) as held:
        source = topic("numbers", ", WATERMARK FOR ts AS ts")
        job = lake.insert(source + table.ddl, f"INSERT INTO sink {rows.query}", settings)
        taskmanager, _ = held.wait()
        seen = job.failures()
        taskmanager.kill()
    taskmanager.start()
    with polled(metastore, table) as watch:
        job.fails_over(seen)
        job.waits_for("days that the records' time has passed", lambda: len(watch.seen) >= 3, PATIENCE)
        job.stops(drain=True)
    table.remove_orphans()
    agree(metastore, table, rows)
