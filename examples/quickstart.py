"""quickstart.sql from PyFlink, with an end: 10,000 rows into day partitions on S3.

    bin/flink run --python quickstart.py s3://lake/readings

Credentials and endpoint stand in Flink's configuration (s3.access-key, s3.secret-key, s3.endpoint); the bucket must exist.
"""

import sys

from pyflink.table import EnvironmentSettings, TableEnvironment


def main(path: str) -> None:
    """Write the rows and wait for the last of them to be visible."""
    table_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    table_env.get_config().set("execution.checkpointing.interval", "2 s")
    table_env.execute_sql("""
        CREATE TEMPORARY TABLE readings (
          id INT,
          celsius DOUBLE,
          measured AS LOCALTIMESTAMP
        ) WITH (
          'connector' = 'datagen',
          'rows-per-second' = '5000',
          'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '10000'
        )""")
    table_env.execute_sql(f"""
        CREATE TEMPORARY TABLE lake (
          id INT,
          celsius DOUBLE,
          measured TIMESTAMP(3),
          `day` STRING
        ) PARTITIONED BY (`day`) WITH (
          'connector' = 'filesystem-bridge',
          'path' = '{path}',
          'format' = 'parquet',
          'sink.partition-commit.policy.kind' = 'success-file',
          'sink.fallback' = 'forbid'
        )""")
    table_env.execute_sql(
        "INSERT INTO lake SELECT id, celsius, measured, DATE_FORMAT(measured, 'yyyy-MM-dd') FROM readings"
    ).wait()
    print(f"10000 rows are in {path}")


if __name__ == "__main__":
    main(sys.argv[1])
