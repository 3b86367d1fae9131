"""A DataStream program that lands its rows in day partitions on S3.

    bin/flink run --python datastream.py s3://lake/readings

Credentials and endpoint stand in Flink's configuration (s3.access-key, s3.secret-key, s3.endpoint); the bucket must exist.
"""

import sys

from pyflink.common import Types
from pyflink.common.typeinfo import RowTypeInfo
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import DataTypes, Schema, StreamTableEnvironment, TableDescriptor

from partition_bridge.datastream import sink_to

ROW: RowTypeInfo = Types.ROW_NAMED(["id", "celsius", "day"], [Types.LONG(), Types.DOUBLE(), Types.STRING()])


def main(path: str) -> None:
    """Write some rows and wait for the last of them to be visible."""
    environment = StreamExecutionEnvironment.get_execution_environment()
    environment.enable_checkpointing(2_000)
    tables = StreamTableEnvironment.create(environment)
    rows = environment.from_collection([(number, number / 8, f"2024-01-0{number % 3 + 1}") for number in range(1_000)], ROW)
    columns = Schema.new_builder().column("id", DataTypes.BIGINT()).column("celsius", DataTypes.DOUBLE())
    lake = (
        TableDescriptor.for_connector("filesystem-bridge")
        .schema(columns.column("day", DataTypes.STRING()).build())
        .partitioned_by("day")
        .format("parquet")
        .option("path", path)
        .option("sink.partition-commit.policy.kind", "success-file")
        .option("sink.fallback", "forbid")
        .build()
    )
    sink_to(tables, rows, "readings", lake)
    environment.execute()
    print(f"1000 rows are in {path}")


if __name__ == "__main__":
    main(sys.argv[1])
