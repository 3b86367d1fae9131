"""Made-up rows as streams have them: keys that hardly repeat, names that do, measures, three days that take turns."""

from collections.abc import Mapping
from typing import ClassVar

import duckdb

from bench.workload import Workload

_FILES = 6
_ROWS_A_FILE = 1_000_000

# Of the row's number, so that every run of the bench on any machine has the same rows.
_VALUES = {
    "id": "i",
    "account": "'account-' || (hash(i) % 100000)",
    "amount": "(hash(i + 1) % 1000000)::BIGINT::DECIMAL(10, 0) / 100",
    "at": "epoch_ms(1767225600000 + i * 7)",
    "paid": "hash(i + 2) % 3 = 0",
    "items": "hash(i + 3) % 50",
    "score": "(hash(i + 4) % 1000000007)::DOUBLE / 1000000007",
    "kind": "'kind-' || (hash(i + 5) % 12)",
    "day": "'2026-01-0' || (1 + hash(i + 6) % 3)",
}


class Events(Workload):
    """9 columns, the partition among them: about 70 bytes a row."""

    name = "events"
    columns: ClassVar[Mapping[str, str]] = {
        "id": "BIGINT",
        "account": "STRING",
        "amount": "DECIMAL(10, 2)",
        "at": "TIMESTAMP(3)",
        "paid": "BOOLEAN",
        "items": "INT",
        "score": "DOUBLE",
        "kind": "STRING",
        "day": "STRING",
    }
    partition = "day"

    def make(self) -> None:
        columns = ", ".join(f'CAST({value} AS {self.duckdb(name)}) AS "{name}"' for name, value in _VALUES.items())
        for number in range(_FILES):
            first = number * _ROWS_A_FILE
            rows = f"SELECT {columns} FROM range({first}, {first + _ROWS_A_FILE}) AS numbers(i)"
            duckdb.sql(f"COPY ({rows}) TO '{self.folder}/file-{number}.parquet' (FORMAT parquet)")
