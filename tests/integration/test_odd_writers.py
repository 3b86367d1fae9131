"""Writers that get no more memory, or whose clock is wrong. Each ends with the audit."""

from pathlib import Path

import pytest

from tests.integration.lake import MULTIPART, Lake
from tests.integration.odd_writers import odd_writers
from tests.integration.rows import Rows

pytestmark = pytest.mark.thorough

FAT = Rows(4_000, partitions=2, fat=1000)
"""16 KB a row, on average."""


def test_a_writer_that_gets_no_more_memory(lake: Lake, tmp_path: Path) -> None:
    """Its next part has no room: the task fails with a word about memory, the job restarts, each row is there once (I11)."""
    options = {**MULTIPART, "parquet.compression": "UNCOMPRESSED", "python.executable": str(odd_writers("tight", tmp_path))}
    table = lake.table(FAT, options)
    job = lake.stream(table, FAT, per_second=800, parallelism=1, checkpoint="1 s")
    job.runs().has_checkpoints(1)
    failures = job.failures()
    (tmp_path / "tight").touch()
    job.fails_over(failures, running=False)
    assert "MemoryError" in job.causes, "the failure says what the writer has died of"
    job.finishes()
    table.remove_orphans()
    table.audit(FAT.expected(), FAT.paths())


def test_a_writers_clock_jumps(lake: Lake, tmp_path: Path) -> None:
    """Ten minutes either way change nothing. By hours, the store refuses what the writer signs: the job says so, and is right again with its clock."""
    clock = tmp_path / "clock"
    clock.write_text("0")
    rows = Rows(20_000)
    table = lake.table(rows, {**MULTIPART, "python.executable": str(odd_writers("clock", tmp_path))})
    job = lake.stream(table, rows, per_second=2_000, parallelism=2).runs().has_checkpoints(1)
    for minutes in (10, -10):
        clock.write_text(str(60 * minutes))
        job.has_checkpoints(2)
    assert job.failures() == 0, "what a store takes, the writer does"
    clock.write_text(str(5 * 3600))
    job.fails_over(0, running=False)
    assert "clock" in job.causes, "the failure says what is wrong"
    clock.write_text("0")
    job.runs_or_ended().finishes()
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())
