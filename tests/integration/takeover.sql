-- Eleven tables as a user of Flink's filesystem connector has them; only $path differs between two runs of this file.
-- The rows are in order and the parallelism is 1, so that both connectors see the same.

CREATE TEMPORARY TABLE numbers (id BIGINT) WITH (
  'connector' = 'datagen', 'number-of-rows' = '600', 'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '600'
);

CREATE TEMPORARY TABLE parquet_days (id BIGINT, v STRING, price DECIMAL(10, 2), ts TIMESTAMP(3), tags ARRAY<INT>, `day` STRING)
PARTITIONED BY (`day`) WITH (
  'connector' = 'filesystem', 'path' = '$path/parquet_days', 'format' = 'parquet',
  'sink.partition-commit.policy.kind' = 'success-file'
);
CREATE TEMPORARY TABLE parquet_whole WITH (
  'connector' = 'filesystem', 'path' = '$path/parquet_whole', 'format' = 'parquet', 'parquet.compression' = 'GZIP'
) LIKE parquet_days (EXCLUDING OPTIONS EXCLUDING PARTITIONS);
CREATE TEMPORARY TABLE csv_days WITH (
  'path' = '$path/csv_days', 'format' = 'csv', 'csv.field-delimiter' = ';'
) LIKE parquet_days (OVERWRITING OPTIONS);
CREATE TEMPORARY TABLE avro_days WITH (
  'path' = '$path/avro_days', 'format' = 'avro', 'sink.shuffle-by-partition.enable' = 'true'
) LIKE parquet_days (OVERWRITING OPTIONS);
CREATE TEMPORARY TABLE orc_days WITH (
  'path' = '$path/orc_days', 'format' = 'orc', 'sink.partition-commit.success-file.name' = 'done'
) LIKE parquet_days (OVERWRITING OPTIONS);
CREATE TEMPORARY TABLE json_days WITH (
  'path' = '$path/json_days', 'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601'
) LIKE parquet_days (OVERWRITING OPTIONS);
CREATE TEMPORARY TABLE debezium_days WITH (
  'path' = '$path/debezium_days', 'format' = 'debezium-json'
) LIKE parquet_days (OVERWRITING OPTIONS);
CREATE TEMPORARY TABLE raw_days (v STRING, `day` STRING) PARTITIONED BY (`day`) WITH (
  'connector' = 'filesystem', 'path' = '$path/raw_days', 'format' = 'raw',
  'sink.partition-commit.policy.kind' = 'success-file'
);

CREATE TEMPORARY TABLE parquet_stream WITH ('path' = '$path/parquet_stream') LIKE parquet_days (OVERWRITING OPTIONS);
CREATE TEMPORARY TABLE avro_stream WITH ('path' = '$path/avro_stream') LIKE avro_days (OVERWRITING OPTIONS);
CREATE TEMPORARY TABLE orc_stream WITH ('path' = '$path/orc_stream') LIKE orc_days (OVERWRITING OPTIONS);

CREATE TEMPORARY VIEW readings AS SELECT
  id,
  IF(MOD(id, 7) = 0, CAST(NULL AS STRING), CONCAT('ü"; ', CAST(id AS STRING))) AS v,
  CAST(CAST(id AS DECIMAL(10, 2)) / 8 AS DECIMAL(10, 2)) AS price,
  CAST(TO_TIMESTAMP_LTZ(id * 1001, 3) AS TIMESTAMP(3)) AS ts,
  ARRAY[CAST(id AS INT), 7] AS tags,
  -- Flink's own source can't read a table that has rows without a partition.
  CONCAT('2024-01/', CAST(MOD(id, 3) AS STRING), ' ü') AS `day`
FROM numbers;
