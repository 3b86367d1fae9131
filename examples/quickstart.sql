-- Rows out of a generator into day partitions on S3, for as long as it runs. The first files are visible after ten seconds.
--   bin/sql-client.sh -f quickstart.sql
-- Credentials and endpoint stand in Flink's configuration (s3.access-key, s3.secret-key, s3.endpoint); the bucket must exist.

SET 'execution.checkpointing.interval' = '10 s';

CREATE TEMPORARY TABLE readings (
  sensor INT,
  celsius DOUBLE,
  measured AS LOCALTIMESTAMP
) WITH (
  'connector' = 'datagen',
  'rows-per-second' = '1000',
  'fields.sensor.min' = '1',
  'fields.sensor.max' = '100',
  'fields.celsius.min' = '-20',
  'fields.celsius.max' = '40'
);

CREATE TEMPORARY TABLE lake (
  sensor INT,
  celsius DOUBLE,
  measured TIMESTAMP(3),
  `day` STRING
) PARTITIONED BY (`day`) WITH (
  'connector' = 'filesystem-bridge',
  'path' = 's3://lake/readings',
  'format' = 'parquet',
  'sink.partition-commit.policy.kind' = 'success-file',
  'sink.fallback' = 'forbid'
);

INSERT INTO lake
SELECT sensor, celsius, measured, DATE_FORMAT(measured, 'yyyy-MM-dd') FROM readings;
