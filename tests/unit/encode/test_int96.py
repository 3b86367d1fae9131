"""What INT96 holds before 1970: docs/parity.md admits one form that other readers may misread."""

from __future__ import annotations

import struct

import pyarrow as pa
import pytest

from tests.unit.encode.rows import encode, opened

JULIAN_EPOCH = 2_440_588
DAY = 86_400_000_000_000  # nanoseconds
PLAIN = {"parquet.compression": "UNCOMPRESSED", "parquet.enable.dictionary": "false"}
MOMENTS = [-1_000_000, 1_000_000 - DAY, -DAY, -DAY - 1_000_000, 0, 1_000_000]
"""Nanoseconds from 1970 on that every unit holds: fractions of a day and whole days, before and after."""


def int96(data: bytes, count: int) -> list[tuple[int, int]]:
    """Day since 1970 and nanoseconds of that day of each value, as they lie in the file's only page."""
    column = opened(data).metadata.row_group(0).column(0)
    assert column.physical_type == "INT96", "Flink's default"
    end = column.data_page_offset + column.total_compressed_size
    values = struct.iter_unpack("<qI", data[end - 12 * count : end])
    return [(day - JULIAN_EPOCH, nanos) for nanos, day in values]


@pytest.mark.parametrize(("unit", "nanos"), [("ms", 1_000_000), ("us", 1_000), ("ns", 1)])
def test_before_1970_day_and_time_sum_up_to_the_instant(unit: str, nanos: int) -> None:
    """The sum is always right. Before pyarrow 23 the time of day is negative there, as Flink's own with `utc-timezone`."""
    column = pa.array([moment // nanos for moment in MOMENTS], pa.timestamp(unit))

    data = encode([pa.RecordBatch.from_arrays([column], names=["at"])], PLAIN)

    values = int96(data, len(MOMENTS))
    assert [day * DAY + time for day, time in values] == MOMENTS, "readers that add the two get the instant that was meant"
    negative = [time < 0 for _, time in values]
    old = int(pa.__version__.split(".")[0]) < 23
    assert negative == [old and moment < 0 and moment % DAY != 0 for moment in MOMENTS], "parity.md says this, and no more"


def test_int64_has_no_such_form() -> None:
    """The way out that parity.md names: with `parquet.write.int64.timestamp` an instant is one signed number."""
    column = pa.array([moment // 1_000 for moment in MOMENTS], pa.timestamp("us"))

    data = encode([pa.RecordBatch.from_arrays([column], names=["at"])], {**PLAIN, "parquet.write.int64.timestamp": "true"})

    written = opened(data).metadata.row_group(0).column(0)
    assert written.physical_type == "INT64", "one number"
    end = written.data_page_offset + written.total_compressed_size
    values = [value for (value,) in struct.iter_unpack("<q", data[end - 8 * len(MOMENTS) : end])]
    assert values == column.cast(pa.int64()).to_pylist(), "microseconds from 1970 on, negative before"
