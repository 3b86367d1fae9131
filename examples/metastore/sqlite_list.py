"""`'metastore' = 'sqlite'`, `'metastore.file' = '/var/lib/partitions.db'`: a table of partitions that any program can read.

Named by an entry point of the package that has it:

    [project.entry-points."partition_bridge.metastores"]
    sqlite = "examples.metastore:SqliteList"
"""

import json
import sqlite3
from collections.abc import Sequence

from partition_bridge.metastore.protocol import AlreadyThere, Configuration, TableDescription, Unavailable

SCHEMA = "CREATE TABLE IF NOT EXISTS partitions (name TEXT, spec TEXT, location TEXT, PRIMARY KEY (name, spec))"


class SqliteList:
    """One table's partitions. What may be locked for a moment is asked again, for `metastore.retry-timeout`."""

    def __init__(self, table: TableDescription) -> None:
        self._table = table
        file = table.options.get("file")
        if file is None:
            raise Configuration("'metastore' = 'sqlite' needs 'metastore.file'")
        self._lines = sqlite3.connect(file, isolation_level=None)

    def check(self) -> None:
        """Nothing has to be there before."""
        self._run(SCHEMA)

    def location(self, values: Sequence[str]) -> str | None:
        """Where the partition is, or None."""
        found = self._run("SELECT location FROM partitions WHERE name = ? AND spec = ?", *self._key(values)).fetchone()
        return None if found is None else str(found[0])

    def add(self, values: Sequence[str], location: str) -> None:
        """A new line."""
        try:
            self._run("INSERT INTO partitions VALUES (?, ?, ?)", *self._key(values), location)
        except sqlite3.IntegrityError:
            raise AlreadyThere(f"{self._table.name} has {values}") from None

    def alter(self, values: Sequence[str], location: str) -> None:
        """The same line, with what holds now."""
        self._run("INSERT OR REPLACE INTO partitions VALUES (?, ?, ?)", *self._key(values), location)

    def close(self) -> None:
        """Nothing is asked any more."""
        self._lines.close()

    def _key(self, values: Sequence[str]) -> tuple[str, str]:
        names = [column.name for column in self._table.partition_columns]
        return self._table.name, json.dumps(dict(zip(names, values, strict=True)))

    def _run(self, statement: str, *arguments: str) -> sqlite3.Cursor:
        try:
            return self._lines.execute(statement, arguments)
        except sqlite3.OperationalError as busy:
            raise Unavailable(str(busy)) from busy
