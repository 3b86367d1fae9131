"""The metastores that the contract runs on; each with one database, and a table's name that no other test has."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import pytest

from partition_bridge.metastore.protocol import TableDescription
from tests.metastores.catalogs import DATABASE, TABLE, Catalog, GlueCatalog, HiveCatalog
from tests.support.aws import Aws
from tests.support.glue import Glue
from tests.support.hive_metastore import HiveMetastore

NEWEST, OLDEST = "hms-4.0.1", "hms-3.1.3"
_numbers = itertools.count()


@pytest.fixture(scope="session")
def glue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GlueCatalog]:
    """Moto's, over HTTP."""
    with Aws(tmp_path_factory.mktemp("glue")) as aws:
        yield GlueCatalog(Glue(aws.endpoint, DATABASE))


@pytest.fixture(scope="session")
def hive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HiveCatalog]:
    """The newest that runs without a Hive."""
    with HiveMetastore(NEWEST.removeprefix("hms-"), tmp_path_factory.mktemp("hms")) as server:
        server.create_database(DATABASE)
        yield HiveCatalog(server)


@pytest.fixture(scope="session")
def oldest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HiveCatalog]:
    """The one that Spark and Hive 3 bring."""
    with HiveMetastore(OLDEST.removeprefix("hms-"), tmp_path_factory.mktemp("hms")) as server:
        server.create_database(DATABASE)
        yield HiveCatalog(server)


@pytest.fixture(params=["glue", NEWEST, pytest.param(OLDEST, marks=pytest.mark.thorough)])
def catalog(request: pytest.FixtureRequest) -> Catalog:
    """The metastore under test."""
    found: Catalog = request.getfixturevalue({"glue": "glue", NEWEST: "hive", OLDEST: "oldest"}[request.param])
    return found


@pytest.fixture
def table() -> TableDescription:
    """A table that no other test has, to be made."""
    name = f"t{next(_numbers)}"
    return replace(TABLE, table=name, location=f"s3://lake/{name}")
