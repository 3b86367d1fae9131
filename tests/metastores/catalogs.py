"""Real metastores behind one interface of the tests: what they are told by the bridge, and what they say to others."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pymetastore.hive_metastore import ttypes

from partition_bridge.metastore.glue import GlueMetastore
from partition_bridge.metastore.hive import HiveMetastore
from partition_bridge.metastore.protocol import Column, Metastore, TableDescription
from partition_bridge.store_settings import StoreKeys, StoreSettings
from tests.support.glue import REGION, Glue
from tests.support.hive_metastore import HiveMetastore as HiveServer

DATABASE = "lake"
TABLE = TableDescription(
    label="default_catalog.default_database.sink",
    database=DATABASE,
    table="t",
    location="s3://lake/t",
    columns=(Column("Id", "BIGINT", "bigint"), Column("tags", "MAP<STRING, INT>", "map<string,int>")),
    partition_columns=(Column("Day", "STRING", "string"), Column("hour", "INT", "int")),
    format="parquet",
    format_options={},
    create_table=True,
    options={},
)
STORE = StoreSettings("http://127.0.0.1:9", REGION, True, "anybody", "secret", None, {})


@dataclass(frozen=True)
class Shown:
    """A table or a partition as a reader gets it."""

    location: str
    columns: tuple[tuple[str, str], ...]
    partition_columns: tuple[tuple[str, str], ...]
    classes: tuple[str, str, str]
    serde_parameters: tuple[tuple[str, str], ...]


class Catalog(ABC):
    """One metastore with a database."""

    @abstractmethod
    def metastore(self, table: TableDescription) -> Metastore:
        """The bridge's own, which is under test."""

    @abstractmethod
    def table(self, name: str) -> Shown: ...

    @abstractmethod
    def partitions(self, name: str) -> dict[tuple[str, ...], Shown]:
        """By values."""


class GlueCatalog(Catalog):
    def __init__(self, glue: Glue) -> None:
        self.glue = glue

    def metastore(self, table: TableDescription) -> Metastore:
        return GlueMetastore(replace(table, options={"endpoint": self.glue.endpoint, **table.options}), STORE, keys)

    def table(self, name: str) -> Shown:
        found = self.glue.table(name)
        assert found["TableType"] == "EXTERNAL_TABLE", "nobody removes its files with it"
        return self._shown(found["StorageDescriptor"], found["PartitionKeys"])

    def partitions(self, name: str) -> dict[tuple[str, ...], Shown]:
        answer = self.glue.client.get_partitions(DatabaseName=DATABASE, TableName=name)["Partitions"]
        return {tuple(each["Values"]): self._shown(each["StorageDescriptor"], []) for each in answer}

    @staticmethod
    def _shown(storage: Any, keys: Sequence[Any]) -> Shown:
        columns, partitions = (tuple((each["Name"], each["Type"]) for each in some) for some in (storage["Columns"], keys))
        serde = storage["SerdeInfo"]
        classes = (storage["InputFormat"], storage["OutputFormat"], serde["SerializationLibrary"])
        return Shown(storage["Location"], columns, partitions, classes, tuple(sorted(serde["Parameters"].items())))


class HiveCatalog(Catalog):
    def __init__(self, server: HiveServer) -> None:
        self.server = server

    def metastore(self, table: TableDescription) -> Metastore:
        return HiveMetastore(replace(table, options={"uri": self.server.uri, **table.options}))

    def table(self, name: str) -> Shown:
        with self.server.asked() as client:
            found = client.get_table_req(ttypes.GetTableRequest(dbName=DATABASE, tblName=name)).table
        assert found.tableType == "EXTERNAL_TABLE", "nobody removes its files with it"
        return self._shown(found.sd, found.partitionKeys)

    def partitions(self, name: str) -> dict[tuple[str, ...], Shown]:
        with self.server.asked() as client:
            return {tuple(each.values): self._shown(each.sd, []) for each in client.get_partitions(DATABASE, name, -1)}

    @staticmethod
    def _shown(storage: Any, keys: Sequence[Any]) -> Shown:
        columns, partitions = (tuple((each.name, each.type) for each in some) for some in (storage.cols, keys))
        serde = storage.serdeInfo
        classes = (storage.inputFormat, storage.outputFormat, serde.serializationLib)
        return Shown(storage.location, columns, partitions, classes, tuple(sorted(serde.parameters.items())))


def keys() -> StoreKeys:
    """What the shim would say now."""
    return StoreKeys("anybody", "secret", None)
