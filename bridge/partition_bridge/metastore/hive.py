"""Partitions of one table in a Hive Metastore."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pymetastore.hive_metastore import ttypes

from partition_bridge.metastore import layouts
from partition_bridge.metastore.hive_client import HiveClient
from partition_bridge.metastore.protocol import AlreadyThere, Configuration, Fail, TableDescription

# The server would list each partition's folder to count its files.
_NO_STATISTICS = {"DO_NOT_UPDATE_STATS": "true"}

_COUNTS = "COLUMN_STATS_ACCURATE"


class HiveMetastore:
    """A ``Metastore`` over thrift. A partition takes the table's SerDe, columns and formats as they are when it's added."""

    def __init__(self, table: TableDescription) -> None:
        self._table = table
        self._client = HiveClient(table.options)

    def check(self) -> None:
        there = self._find_table()
        if there is None:
            self._require_database()
            if not self._table.create_table:
                raise layouts.missing_table(self._table)
            self._create()
            there = self._table_now()
        layouts.require_same_partitions(self._table, [each.name for each in there.partitionKeys or ()])

    def location(self, values: Sequence[str]) -> str | None:
        partition = self._find_partition(values)
        return None if partition is None else str(partition.sd.location)

    def add(self, values: Sequence[str], location: str) -> None:
        now = int(time.time())
        storage = copy.deepcopy(self._table_now().sd)
        storage.location = location
        partition = ttypes.Partition(
            values=list(values),
            dbName=self._table.database,
            tableName=self._table.table,
            createTime=now,
            lastAccessTime=now,
            sd=storage,
            parameters={},
        )
        with self._explained(f"add partition {list(values)}"):
            try:
                self._client.call("add_partition_with_environment_context", partition, self._context())
            except ttypes.AlreadyExistsException:
                raise AlreadyThere(f"{self._table.name} has partition {list(values)} already") from None

    def alter(self, values: Sequence[str], location: str) -> None:
        partition = self._find_partition(values)
        if partition is None:
            return self.add(values, location)
        partition.sd.location = location
        # There are new files, so what was counted before isn't to be trusted any more.
        partition.parameters = {name: value for name, value in (partition.parameters or {}).items() if name != _COUNTS}
        with self._explained(f"alter partition {list(values)}"):
            self._client.call(
                "alter_partition_with_environment_context",
                self._table.database,
                self._table.table,
                partition,
                self._context(),
            )
        return None

    def close(self) -> None:
        self._client.close()

    def _find_table(self) -> Any:
        with self._explained("look at the table"):
            try:
                request = ttypes.GetTableRequest(dbName=self._table.database, tblName=self._table.table)
                return self._client.call("get_table_req", request).table
            except ttypes.NoSuchObjectException:
                return None

    def _table_now(self) -> Any:
        there = self._find_table()
        if there is None:
            raise layouts.missing_table(self._table)
        return there

    def _find_partition(self, values: Sequence[str]) -> Any:
        with self._explained(f"look for partition {list(values)}"):
            try:
                return self._client.call("get_partition", self._table.database, self._table.table, list(values))
            except ttypes.NoSuchObjectException:
                return None

    def _require_database(self) -> None:
        with self._explained("look for the database"):
            try:
                self._client.call("get_database", self._table.database)
            except ttypes.NoSuchObjectException:
                raise layouts.missing_database(self._table) from None

    def _create(self) -> None:
        layout = layouts.layout(self._table)
        now = int(time.time())
        storage = ttypes.StorageDescriptor(
            cols=_fields(layouts.data_columns(self._table)),
            location=self._table.location,
            inputFormat=layout.input_format,
            outputFormat=layout.output_format,
            compressed=False,
            numBuckets=-1,
            serdeInfo=ttypes.SerDeInfo(
                serializationLib=layout.serde, parameters={"serialization.format": "1", **layout.serde_parameters}
            ),
            bucketCols=[],
            sortCols=[],
            parameters={},
        )
        table = ttypes.Table(
            tableName=self._table.table,
            dbName=self._table.database,
            owner="flink",
            createTime=now,
            lastAccessTime=now,
            retention=0,
            sd=storage,
            partitionKeys=_fields(layouts.partition_columns(self._table)),
            parameters={"EXTERNAL": "TRUE"},
            tableType="EXTERNAL_TABLE",
        )
        with self._explained("create the table"):
            try:
                self._client.call("create_table", table)
            except ttypes.AlreadyExistsException:
                # Another job was quicker, or an earlier try was, whose answer was lost.
                return

    @staticmethod
    def _context() -> Any:
        return ttypes.EnvironmentContext(properties=dict(_NO_STATISTICS))

    @contextmanager
    def _explained(self, what: str) -> Iterator[None]:
        try:
            yield
        except (ttypes.MetaException, ttypes.InvalidObjectException, ttypes.InvalidOperationException) as refused:
            said = refused.message or ""
            if "No FileSystem for scheme" in said:
                raise Configuration(
                    f"the Hive Metastore can't {what} of {self._table.name} at {self._table.location}: {said}. Its server looks at the "
                    "folder, so it needs a file system for this scheme on its own class path (hadoop-aws)"
                ) from None
            raise Fail(f"the Hive Metastore refuses to {what} of {self._table.name}: {said}") from None
        except ttypes.NoSuchObjectException as gone:
            raise Fail(f"the Hive Metastore can't {what} of {self._table.name}: {gone.message}") from None


def _fields(columns: Sequence[tuple[str, str]]) -> list[Any]:
    return [ttypes.FieldSchema(name=name, type=kind) for name, kind in columns]
