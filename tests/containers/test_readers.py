"""Who asks the Hive Metastore for a table's partitions reads exactly what is listed, though files of the next partition can be seen already."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyarrow.fs import S3FileSystem
from testcontainers.core.network import Network

from tests.containers.registry import DATABASE, DOWN, partitions, registered
from tests.containers.stores import MetastoreContainer, StoreContainer
from tests.integration.lake import SqlLake
from tests.integration.rows import Rows
from tests.support.flink import JARS
from tests.support.spark import spark_session

pytestmark = pytest.mark.containers


@pytest.fixture(scope="module")
def metastore(network: Network) -> Iterator[MetastoreContainer]:
    """Hive Metastore 3.1: Spark 3.5 asks for tables by a call that 4.0 has no longer."""
    with MetastoreContainer(network, "3.1.3") as running:
        running.create_database(DATABASE)
        yield running


def test_readers_see_what_is_listed(lake: SqlLake, store: StoreContainer, metastore: MetastoreContainer, tmp_path: Path) -> None:
    """A job is stopped in the middle of a day. Spark asks the metastore itself, DuckDB is given what it lists: the days before, whole."""
    rows = Rows(20_000, per_day=1_000)
    table = registered(lake, rows, metastore, {})

    # Phase 1: some days are complete, and the files of the next one are visible.
    job = lake.stream(table, rows, per_second=400, parallelism=2, checkpoint="1 s")

    def listed() -> dict[str, str]:
        with suppress(*DOWN):
            return partitions(metastore, table)
        return {}

    job.waits_for("two days in the metastore", lambda: len(listed()) >= 2)
    job.stops()
    locations = partitions(metastore, table)
    assert {each.partition for each in table.listing().data} > set(locations), (
        "a savepoint has made files visible of a day that goes on"
    )

    # Phase 2: both readers.
    expected = [tuple(row.values()) for row in rows.expected().to_pylist() if f"p={row['p']}/" in locations]
    settings = {
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.hive.metastore.uris": f"thrift://127.0.0.1:{metastore.port}",
        "spark.driver.extraClassPath": str(JARS / "spark" / "*"),
    }
    with spark_session(tmp_path, settings) as spark:
        use_store(spark, store)
        read = spark.sql(f"SELECT id, `hash`, p FROM {DATABASE}.{table.name}").collect()
        folder = spark.read.parquet(f"s3://{table.bucket}/{table.name}").count()
    assert sorted(map(tuple, read)) == expected, "Spark reads the rows of the listed days, each once"
    assert folder > len(expected), "who lists the folder by himself sees more"
    assert sorted(duckdb_rows(store, locations)) == expected, "DuckDB, too"


def use_store(spark: Any, store: StoreContainer) -> None:
    """Keys of S3 for a session, past its command line."""
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    hadoop.set("fs.s3.impl", "org.apache.hadoop.fs.s3a.S3AFileSystem")
    hadoop.set("fs.s3a.endpoint", store.endpoint)
    hadoop.set("fs.s3a.path.style.access", "true")
    hadoop.set("fs.s3a.access.key", store.access_key)
    hadoop.set("fs.s3a.secret.key", store.secret_key)


def duckdb_rows(store: StoreContainer, locations: dict[str, str]) -> list[tuple[Any, ...]]:
    """DuckDB over Arrow's S3: its own isn't part of its package."""
    scheme, _, address = store.endpoint.partition("://")
    files = S3FileSystem(
        access_key=store.access_key, secret_key=store.secret_key, scheme=scheme, endpoint_override=address, region=store.region
    )
    days = ds.partitioning(pa.schema([("p", pa.string())]), flavor="hive")
    parts = []
    for each in locations.values():
        folder = each.removeprefix("s3://")
        parts.append(ds.dataset(folder, filesystem=files, partitioning=days, partition_base_dir=folder.rpartition("/")[0]))
    return duckdb.from_arrow(ds.dataset(parts)).project("id, hash, p").fetchall()
