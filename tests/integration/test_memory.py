"""What a writer holds while it writes two thousand partitions: in its memory, and of its files in the checkpoint (I8)."""

import re
from contextlib import suppress
from pathlib import Path

from tests.integration.lake import Lake
from tests.integration.rows import Rows

MIB = 1 << 20
BUDGET = 32 * MIB
OVERHEAD = 150 * MIB
"""Python, pyarrow, boto3 and their threads: what a writer takes before the first row, and what the allocators keep."""

INLINE_LIMIT = 4 * MIB
PARTITIONS = 2_000
ENTRY = 1 << 10
"""A state entry without its tail: key, ids, sizes."""


def peak_bytes(pid: int) -> int:
    """The most memory that a process has ever had resident (VmHWM); 0 once it has ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
        return int(found.group(1)) << 10 if found else 0
    return 0


def test_two_thousand_partitions_within_the_budget(lake: Lake) -> None:
    """Rows of 2,000 partitions in no order: process memory and checkpoints stay bounded, and every row is there once."""
    rows = Rows(20_000, partitions=PARTITIONS)
    options = {
        "sink.writer.memory": f"{BUDGET // MIB} mb",
        "sink.state.inline-limit": f"{INLINE_LIMIT // MIB} mb",
        "sink.upload.part-size": "5 mb",  # four parts must fit into the budget
    }
    table = lake.table(rows, options)
    slow = {"execution.checkpointing.timeout": "10 min"}
    job = lake.stream(table, rows, per_second=5_000, checkpoint="3 s", settings=slow)
    peaks: dict[int, int] = {}

    def sampled() -> bool:
        for pid in job.writers():
            peaks[pid] = max(peaks.get(pid, 0), peak_bytes(pid))
        return job.ended()

    job.waits_for("the job's end", sampled, 800)
    job.finishes()
    largest = max(int(each["state_size"]) for each in lake.cluster.jobs.checkpoints(job.id)["history"])
    print(f"peak of the writer {max(peaks.values()) / MIB:.0f} MiB, largest checkpoint {largest / MIB:.1f} MiB")

    assert len(peaks) == 1, "one writer has written everything"
    assert max(peaks.values()) <= BUDGET + OVERHEAD, "the budget holds for any number of partitions"
    # Files that wait for their announcement stay in the next snapshot beside its own.
    assert largest <= INLINE_LIMIT + 2 * PARTITIONS * ENTRY, "small files travel inline within the limit, the rest are uploads"
    table.audit(rows.expected(), rows.paths())
