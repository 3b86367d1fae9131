"""A store whose certificate only a CA of one's own vouches for, given as docs/containers.md says."""

import ssl
from collections.abc import Iterator

import pytest
from testcontainers.core.network import Network

from tests.containers import cluster as clusters
from tests.containers.cluster import ContainerCluster
from tests.containers.registry import agree, polled, registered
from tests.containers.stores import MetastoreContainer, StoreContainer, VersitygwContainer
from tests.integration.lake import BUCKET, MULTIPART, SqlLake
from tests.integration.rows import Rows
from tests.support.certificates import Authority

pytestmark = pytest.mark.containers

PATIENCE = 300.0


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Authority]:
    """A CA that no one else trusts; the tests' own clients do."""
    made = Authority(tmp_path_factory.mktemp("authority"))
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_CA_BUNDLE", str(made.certificate))
        yield made


@pytest.fixture(scope="module")
def store(network: Network, authority: Authority) -> Iterator[StoreContainer]:
    """An S3 server that speaks TLS, and nothing else."""
    with VersitygwContainer(network, authority) as running:
        running.create_bucket(BUCKET)
        yield running


@pytest.fixture(scope="module")
def cluster(
    network: Network, store: StoreContainer, authority: Authority, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ContainerCluster]:
    """The JVMs trust it by a trust store, the writers by AWS_CA_BUNDLE."""
    with clusters.running(
        network,
        store,
        tmp_path_factory.mktemp("containers"),
        java_options="-Djavax.net.ssl.trustStore=/tls/trust.jks",
        environment={"AWS_CA_BUNDLE": "/tls/ca.pem"},
        mounts={authority.certificate: "/tls/ca.pem", authority.trust_store(): "/tls/trust.jks"},
    ) as running:
        yield running


def test_a_store_with_a_certificate_of_ones_own_ca(lake: SqlLake, store: StoreContainer, metastore: MetastoreContainer) -> None:
    """Writers, checkpoints and success files all go by TLS, streaming and batch."""
    with pytest.raises(ssl.SSLCertVerificationError):
        ssl.get_server_certificate(("127.0.0.1", store.service.port), ca_certs=ssl.get_default_verify_paths().cafile)
    rows, more = Rows(3_000, per_day=1_000), Rows(2_000)
    table = registered(lake, rows, metastore, MULTIPART)
    with polled(metastore, table):
        lake.stream(table, rows, per_second=2_000, parallelism=2, checkpoint="1 s").finishes(PATIENCE)
    agree(metastore, table, rows)

    table = lake.table(more, MULTIPART)
    batch = {"execution.runtime-mode": "batch", "parallelism.default": "2"}
    lake.insert(more.bounded() + table.ddl, f"INSERT INTO sink {more.query}", batch).finishes(PATIENCE)
    table.audit(more.expected(), more.paths())
