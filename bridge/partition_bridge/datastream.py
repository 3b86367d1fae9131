"""The end of a PyFlink DataStream program in a partitioned table of files; a thin call of the shim's ``PartitionedFiles``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyflink.datastream import DataStream
    from pyflink.table import StreamTableEnvironment, TableDescriptor


def sink_to(tables: StreamTableEnvironment, rows: DataStream, table: str, descriptor: TableDescriptor) -> None:
    """Add the table's sink to the stream's program, whose ``execute()`` starts it.

    ``rows`` have the type ``Types.ROW_NAMED``; they are matched to the table by the names of their fields. ``table`` is the table's
    name and part of the uids of the sink's operators: a savepoint fits programs with the same name. Watermarks go along where
    ``sink.partition-commit.trigger`` is ``partition-time``. Raises as Flink does for a table that exists, for missing fields and wrong options.
    """
    from pyflink.java_gateway import get_gateway

    files = get_gateway().jvm.io.partitionbridge.datastream.PartitionedFiles
    files.sinkTo(tables._j_tenv, rows._j_data_stream, table, descriptor._j_table_descriptor)  # noqa: SLF001  # PyFlink has no other way to its Java side
