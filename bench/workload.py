"""A workload: the rows that each sink is fed, and how a run's output is proven complete.

The source is a folder of Parquet files that Flink reads, the same for every sink and for `blackhole`: reading them costs far
less than `datagen` does, and the check can read them too.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import duckdb

_DUCKDB = {"INT": "INTEGER", "STRING": "VARCHAR", "TIMESTAMP(3)": "TIMESTAMP_MS"}


class Workload(ABC):
    """`name`, the `columns` with Flink's types, and the one of them that the table is partitioned by."""

    name: ClassVar[str]
    columns: ClassVar[Mapping[str, str]]
    partition: ClassVar[str]

    def __init__(self, root: Path) -> None:
        self.folder = root / self.name

    @abstractmethod
    def make(self) -> None:
        """Write the source into `folder`, which is empty."""

    def prepare(self) -> None:
        """Write the source once; later runs find it."""
        done = self.folder / ".complete"
        if not done.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            self.make()
            done.touch()

    @property
    def rows(self) -> int:
        return sum(int(str(row[1])) for row in self.reference)

    @cached_property
    def reference(self) -> list[tuple[object, ...]]:
        """The check's view of the source."""
        return self.summary(f"read_parquet('{self.folder}/*.parquet')")

    def summary(self, relation: str) -> list[tuple[object, ...]]:
        """Each partition with its count of rows and the sum of their hashes, which any lost, doubled or altered value moves."""
        values = ", ".join(f'CAST("{name}" AS {self.duckdb(name)})' for name in self.columns)
        partition = f'CAST("{self.partition}" AS VARCHAR)'
        rows = f"SELECT {partition}, count(*), sum(hash({values})) FROM {relation} GROUP BY 1 ORDER BY 1"
        return duckdb.execute(rows).fetchall()

    def source_ddl(self) -> str:
        """The table `source`."""
        options = f"'connector' = 'filesystem', 'path' = '{self.folder.as_uri()}', 'format' = 'parquet'"
        return f"CREATE TEMPORARY TABLE source ({self._ddl()}) WITH ({options})"

    def sink_ddl(self, name: str, options: Mapping[str, str]) -> str:
        """A sink with these options; `blackhole` takes no partitions."""
        listed = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
        partitioned = "" if options["connector"] == "blackhole" else f" PARTITIONED BY (`{self.partition}`)"
        return f"CREATE TEMPORARY TABLE {name} ({self._ddl()}){partitioned} WITH ({listed})"

    def duckdb(self, column: str) -> str:
        """DuckDB's name of a column's type."""
        kind = self.columns[column]
        return _DUCKDB.get(kind, kind)

    def _ddl(self) -> str:
        return ", ".join(f"`{name}` {kind}" for name, kind in self.columns.items())
