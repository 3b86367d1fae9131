"""A network, store, metastore and cluster for each file of tests, so that few containers run at a time; each test has tables of its own."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from testcontainers.core.network import Network

from tests.containers import cluster as clusters
from tests.containers import engine
from tests.containers.cluster import ContainerCluster
from tests.containers.evidence import Evidence
from tests.containers.registry import DATABASE
from tests.containers.stores import MetastoreContainer, StoreContainer, VersitygwContainer
from tests.integration.lake import BUCKET, SqlLake


def pytest_configure(config: pytest.Config) -> None:
    """`make containers EVIDENCE=1` names the folder for the evidence."""
    if folder := os.environ.get("CONTAINERS_EVIDENCE"):
        config.pluginmanager.register(Evidence(Path(folder)))


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    """Where all containers are. Without an engine the tests are skipped with the reason; in CI that is a failure."""
    if why := engine.missing():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(why)
    engine.sweep()
    with engine.network() as made:
        yield made
    engine.sweep()


@pytest.fixture(scope="module")
def store(network: Network) -> Iterator[StoreContainer]:
    """An S3 server with the bucket of all tables."""
    with VersitygwContainer(network) as running:
        running.create_bucket(BUCKET)
        yield running


@pytest.fixture(scope="module")
def metastore(network: Network) -> Iterator[MetastoreContainer]:
    """A Hive Metastore with one database."""
    with MetastoreContainer(network) as running:
        running.create_database(DATABASE)
        yield running


@pytest.fixture(scope="module")
def cluster(network: Network, store: StoreContainer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContainerCluster]:
    """The cluster of docker/compose.yaml."""
    with clusters.running(network, store, tmp_path_factory.mktemp("containers")) as running:
        yield running


@pytest.fixture
def lake(cluster: ContainerCluster, store: StoreContainer) -> Iterator[SqlLake]:
    """Where a test makes its tables and jobs. What still runs at its end is cancelled."""
    cluster.clear_faults()
    with SqlLake(cluster, store, {}) as here:
        yield here
    cluster.clear_faults()
