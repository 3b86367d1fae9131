"""The end: what the bucket holds must be what was fed, no more, no less."""

import tempfile
from pathlib import Path

import duckdb
import pyarrow as pa

from examples.flights.lake import Lake
from examples.flights.source import DAYS, NULL
from partition_bridge.audit import AuditReport, audit

# The table's columns from the original file, in the table's types.
EXPECTED = f"""
    SELECT make_timestamp("year", "month", "day", "hour", "minute", 0) AS scheduled,
           dep_time, sched_dep_time, dep_delay, arr_time, sched_arr_time, arr_delay, carrier, flight, tailnum, origin, dest,
           air_time, distance, time_hour, strftime(make_date("year", "month", "day"), '%Y-%m-%d') AS "day"
    FROM read_csv(?, nullstr = '{NULL}', types = {{
      'year': 'INTEGER', 'month': 'INTEGER', 'day': 'INTEGER', 'hour': 'INTEGER', 'minute': 'INTEGER',
      'dep_time': 'INTEGER', 'sched_dep_time': 'INTEGER', 'dep_delay': 'INTEGER', 'arr_time': 'INTEGER',
      'sched_arr_time': 'INTEGER', 'arr_delay': 'INTEGER', 'flight': 'INTEGER', 'air_time': 'INTEGER',
      'distance': 'INTEGER', 'time_hour': 'VARCHAR'}})
"""

SUMS = """
    SELECT "day", count(*), sum(dep_delay), sum(arr_delay), sum(air_time), sum(distance), sum(flight), count(tailnum)
    FROM {source} GROUP BY "day" ORDER BY "day"
"""


class CheckFailed(Exception):
    """The result isn't what was fed."""


def expected_rows(flights: Path) -> pa.Table:
    """The original file as rows of the table."""
    with duckdb.connect() as connection:
        return connection.sql(EXPECTED, params=[str(flights)]).to_arrow_table()


def check_sums(lake: Lake, flights: Path) -> int:
    """DuckDB's own readers on both sides: rows and sums of each day. Returns the number of rows."""
    with tempfile.TemporaryDirectory(prefix="flights-") as folder, duckdb.connect() as connection:
        files = lake.download(Path(folder))
        connection.register("original", expected_rows(flights))
        source = f"read_parquet('{files}', hive_partitioning = true, hive_types_autocast = false)"
        fed = connection.execute(SUMS.format(source="original")).fetchall()
        stored = connection.execute(SUMS.format(source=source)).fetchall()
    differing = [f"day {day}: fed {a}, stored {b}" for day, a, b in _paired(fed, stored) if a != b]
    if differing:
        raise CheckFailed(f"{len(differing)} of {DAYS} days differ (count, sums):\n" + "\n".join(differing[:10]))
    return sum(row[1] for row in stored)


def check_everything(lake: Lake, flights: Path) -> AuditReport:
    """The audit, row for row: every day announced, no upload open, nothing else under the table's path."""
    expected = expected_rows(flights)
    days = sorted(set(expected.column("day").to_pylist()))
    return audit(lake.client, lake.table, expected, committed=[f"day={day}/" for day in days])


def _paired(fed: list[tuple], stored: list[tuple]) -> list[tuple[str, tuple | None, tuple | None]]:
    left, right = ({row[0]: row[1:] for row in rows} for rows in (fed, stored))
    return [(day, left.get(day), right.get(day)) for day in sorted({*left, *right})]
