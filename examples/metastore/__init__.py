"""A metastore of one's own: partitions in a SQLite file. See docs/metastores.md."""

from examples.metastore.sqlite_list import SqliteList

__all__ = ["SqliteList"]
