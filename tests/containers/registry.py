"""A table that is listed in the Hive Metastore container, and whether what is listed is what is complete."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError
from thrift.Thrift import TException

from tests.containers.stores import MetastoreContainer
from tests.integration.lake import SqlLake, Table
from tests.integration.registered import METASTORE_FIRST, Watch, located, watched
from tests.integration.rows import Rows

DATABASE = "lake"
DOWN = (BotoCoreError, ClientError, TException, OSError)
"""What a look at the store or at the metastore ends with while it's down, or the table isn't there yet."""


def registered(lake: SqlLake, rows: Rows, metastore: MetastoreContainer, options: Mapping[str, str]) -> Table:
    """A table that has the name of its folder in the metastore."""
    hive = {"metastore": "hive", "metastore.uri": metastore.uri, "metastore.database": DATABASE}
    table = lake.table(rows, {**METASTORE_FIRST, **hive, **options})
    table.options["metastore.table"] = table.name
    return table


def partitions(metastore: MetastoreContainer, table: Table) -> dict[str, str]:
    """Path and location of each partition that is listed."""
    return {f"{name}/": location for name, location in metastore.partitions(DATABASE, table.name).items()}


@contextmanager
def polled(metastore: MetastoreContainer, table: Table) -> Iterator[Watch]:
    """Fails at its end where a reader could have seen a `_SUCCESS` without its entry."""
    with watched(table, lambda: partitions(metastore, table), DOWN) as watch:
        yield watch
    assert watch.looks, "it was looked at"
    assert not watch.early, "no _SUCCESS without its entry"


def agree(metastore: MetastoreContainer, table: Table, rows: Rows) -> None:
    """The audit, and the metastore lists exactly what has `_SUCCESS`, where it is."""
    table.audit(rows.expected(), rows.paths())
    assert partitions(metastore, table) == located(table, rows.paths()), "listed: the partitions with _SUCCESS, where they are"
