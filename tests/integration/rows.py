"""What a job reads and what must come out of it: rows that follow from their number alone, in SQL and in Python."""

import hashlib
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa

FIRST_DAY = date(2024, 1, 1)
FIRST_MS = 1_704_067_200_000
DAY_MS = 86_400_000


@dataclass(frozen=True)
class Rows:
    """Rows 0 to count - 1 with their MD5 and a partition `p`.

    `p` is the number modulo `partitions`, or the day of an event time that moves by a day every `per_day` rows.
    With `fat` every second row repeats the MD5 so many times in one more column: 32 * fat bytes.
    """

    count: int
    partitions: int = 3
    per_day: int | None = None
    fat: int = 0

    @property
    def columns(self) -> str:
        return "id BIGINT, `hash` STRING, " + ("fat STRING, " if self.fat else "") + "p STRING"

    def source(self, per_second: int) -> str:
        """DDL of the table `numbers`: an id in order, at most so many a second over all subtasks, and event time."""
        step = DAY_MS // (self.per_day or DAY_MS)
        return f"""
CREATE TEMPORARY TABLE numbers (
  id BIGINT,
  ts AS CAST(TO_TIMESTAMP_LTZ({FIRST_MS} + id * {step}, 3) AS TIMESTAMP(3)),
  WATERMARK FOR ts AS ts
) WITH (
  'connector' = 'datagen', 'rows-per-second' = '{per_second}',
  'fields.id.kind' = 'sequence', 'fields.id.start' = '0', 'fields.id.end' = '{max(self.count - 1, 0)}'
);
"""

    def bounded(self) -> str:
        """DDL of the table `numbers` for batch jobs, too. Its event time isn't that of the days."""
        return f"""
CREATE TEMPORARY TABLE numbers (id BIGINT, ts AS TO_TIMESTAMP_LTZ(id, 3)) WITH (
  'connector' = 'datagen', 'number-of-rows' = '{self.count}',
  'fields.id.kind' = 'sequence', 'fields.id.start' = '0', 'fields.id.end' = '{self.count - 1}'
);
"""

    def watched(self, inbox: Path, late_days: int = 0) -> str:
        """DDL of the table `numbers` over the files of a `Feed`: ids as they are fed, and event time that waits for so many days."""
        step = DAY_MS // (self.per_day or DAY_MS)
        return f"""
CREATE TEMPORARY TABLE numbers (
  id BIGINT,
  ts AS CAST(TO_TIMESTAMP_LTZ({FIRST_MS} + id * {step}, 3) AS TIMESTAMP(3)),
  WATERMARK FOR ts AS ts - INTERVAL '{late_days}' DAY
) WITH (
  'connector' = 'filesystem', 'path' = '{inbox.as_uri()}', 'format' = 'csv', 'source.monitor-interval' = '100 ms'
);
"""

    @property
    def query(self) -> str:
        partition = "DATE_FORMAT(ts, 'yyyy-MM-dd')" if self.per_day else f"CAST(MOD(id, {self.partitions}) AS STRING)"
        fat = f"REPEAT(MD5(CAST(id AS STRING)), CASE WHEN MOD(id, 2) = 0 THEN {self.fat} ELSE 1 END), " if self.fat else ""
        return f"SELECT id, MD5(CAST(id AS STRING)), {fat}{partition} FROM numbers WHERE id < {self.count}"

    def first(self, count: int) -> "Rows":
        """Only so many of them."""
        return replace(self, count=count)

    def partition(self, number: int) -> str:
        if self.per_day:
            return (FIRST_DAY + timedelta(days=number // self.per_day)).isoformat()
        return str(number % self.partitions)

    def expected(self) -> pa.Table:
        numbers = range(self.count)
        hashes = [hashlib.md5(str(number).encode()).hexdigest() for number in numbers]
        columns = {"id": pa.array(numbers, pa.int64()), "hash": pa.array(hashes, pa.string())}
        if self.fat:
            columns["fat"] = pa.array([each * (1 if number % 2 else self.fat) for number, each in enumerate(hashes)], pa.string())
        columns["p"] = pa.array([self.partition(number) for number in numbers], pa.string())
        return pa.table(columns)

    def paths(self) -> set[str]:
        """Partition paths of all rows."""
        step = self.per_day or 1
        numbers = range(0, self.count, step) if self.per_day else range(min(self.count, self.partitions))
        return {f"p={self.partition(number)}/" for number in numbers}
