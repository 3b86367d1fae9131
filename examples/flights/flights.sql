-- One CSV file per day appears in ${inbox}; rows leave as Parquet, partitioned by day, straight into object storage.
-- A day is announced with a _SUCCESS file once the watermark has passed its end.

SET 'execution.runtime-mode' = 'streaming';
SET 'execution.checkpointing.interval' = '${checkpoint_interval}';
SET 'pipeline.name' = 'flights';
SET 'parallelism.default' = '1';
SET 'table.local-time-zone' = 'UTC';

CREATE TABLE IF NOT EXISTS inbox (
  `year` INT,
  `month` INT,
  `day` INT,
  dep_time INT,
  sched_dep_time INT,
  dep_delay INT,
  arr_time INT,
  sched_arr_time INT,
  arr_delay INT,
  carrier STRING,
  flight INT,
  tailnum STRING,
  origin STRING,
  dest STRING,
  air_time INT,
  distance INT,
  `hour` INT,
  `minute` INT,
  time_hour STRING,
  scheduled AS TO_TIMESTAMP(
    CONCAT_WS('-', CAST(`year` AS STRING), CAST(`month` AS STRING), CAST(`day` AS STRING), CAST(`hour` AS STRING), CAST(`minute` AS STRING)),
    'yyyy-M-d-H-m'),
  WATERMARK FOR scheduled AS scheduled - INTERVAL '1' HOUR
) WITH (
  'connector' = 'filesystem',
  'path' = '${inbox}',
  'format' = 'csv',
  'csv.null-literal' = 'NA',
  'source.monitor-interval' = '100 ms'
);

CREATE TABLE IF NOT EXISTS flights (
  scheduled TIMESTAMP(3),
  dep_time INT,
  sched_dep_time INT,
  dep_delay INT,
  arr_time INT,
  sched_arr_time INT,
  arr_delay INT,
  carrier STRING,
  flight INT,
  tailnum STRING,
  origin STRING,
  dest STRING,
  air_time INT,
  distance INT,
  time_hour STRING,
  `day` STRING
) PARTITIONED BY (`day`) WITH (
  'connector' = '${connector}',
  'path' = '${path}',
  'format' = 'parquet',
  'parquet.utc-timezone' = 'true',
  'sink.parallelism' = '2',
  'partition.time-extractor.timestamp-pattern' = '$day 00:00:00',
  'sink.partition-commit.trigger' = 'partition-time',
  'sink.partition-commit.delay' = '1 d',
  'sink.partition-commit.policy.kind' = 'success-file'${bridge_options}
);

INSERT INTO flights
SELECT scheduled, dep_time, sched_dep_time, dep_delay, arr_time, sched_arr_time, arr_delay, carrier, flight, tailnum,
       origin, dest, air_time, distance, time_hour, DATE_FORMAT(scheduled, 'yyyy-MM-dd')
FROM inbox;
