"""What a metastore has to do, and what it is told of its table. Public: an entry point implements ``Metastore``.

An entry point of the group ``partition_bridge.metastores`` names a function that takes a ``TableDescription`` and gives a ``Metastore``;
``'metastore' = '<its name>'`` chooses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from partition_bridge.errors import Configuration, Fail, Retry

__all__ = ["AlreadyThere", "Column", "Configuration", "Fail", "Metastore", "TableDescription", "Unavailable"]

GROUP = "partition_bridge.metastores"
"""Where entry points are looked up."""


class Unavailable(Retry):
    """The metastore gave no clear answer. The call is repeated until ``metastore.retry-timeout`` is over, then the task fails."""


class AlreadyThere(Fail):
    """``add`` found the partition: somebody else has added it, or an earlier try did, whose answer was lost. ``alter`` follows."""


@dataclass(frozen=True)
class Column:
    """``sql_type`` in Flink's words, ``hive_type`` in Hive's; None where Hive has no such type (TIME)."""

    name: str
    sql_type: str
    hive_type: str | None


@dataclass(frozen=True)
class TableDescription:
    """The table as the DDL has it.

    ``label``: its name in Flink, for messages. ``location``: of the whole table, as the DDL gives it. ``partition_columns``: outermost
    first. ``format_options``: of the DDL, without the format's name before them. ``options``: the DDL's under ``metastore.``, without
    that.
    """

    label: str
    database: str
    table: str
    location: str
    columns: Sequence[Column]
    partition_columns: Sequence[Column]
    format: str
    format_options: Mapping[str, str]
    create_table: bool
    options: Mapping[str, str]

    @property
    def name(self) -> str:
        """database.table, for messages."""
        return f"{self.database}.{self.table}"


class Metastore(Protocol):
    """One table of a metastore. All calls come from one thread, one after the other; ``check`` is the first.

    ``values`` are those of the partition columns, outermost first, unescaped. ``Unavailable`` has a call repeated, the same partition is
    put again after a failover, and both may come after a call that had its effect: each call must bear to be repeated. Any other error
    fails the task, with its text in Flink's web interface; ``Configuration`` says that a restart won't do.
    """

    def check(self) -> None:
        """Raise ``Configuration`` unless the table is there and fits. Make it where ``create_table`` says so."""

    def location(self, values: Sequence[str]) -> str | None:
        """Where the partition is, or None where there's none."""

    def add(self, values: Sequence[str], location: str) -> None:
        """Add a partition that ``location`` didn't find. Raise ``AlreadyThere`` where it's there."""

    def alter(self, values: Sequence[str], location: str) -> None:
        """Announce a partition again that is there, with the location that it has now."""

    def close(self) -> None:
        """Nothing is asked any more."""
