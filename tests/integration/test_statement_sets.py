"""Several INSERTs of one job, or two jobs, into one path."""

import pytest

from tests.integration.faults import wait_for
from tests.integration.lake import BRIDGE, MULTIPART, STOCK, Lake
from tests.integration.rows import Rows


@pytest.mark.parametrize("connector", [STOCK, BRIDGE])
@pytest.mark.parametrize("tables", [1, 2])
def test_two_inserts_into_one_path(lake: Lake, connector: str, tables: int) -> None:
    """A statement set with two INSERTs, into one table or into two tables of one path: no file of one hides the other's."""
    rows = Rows(10_000)
    table = lake.table(rows, connector=connector)
    ddl = rows.source(5_000) + table.ddl + table.ddl.replace("TABLE sink", "TABLE other")
    halves = [f"{rows.query} AND MOD(id, 2) = {half}" for half in (0, 1)]
    names = ("sink", "other" if tables == 2 else "sink")
    inserts = "".join(f"INSERT INTO {name} {half};\n" for name, half in zip(names, halves, strict=True))
    settings = {"parallelism.default": "2", "execution.checkpointing.interval": "500 ms"}
    lake.insert(ddl, f"EXECUTE STATEMENT SET BEGIN\n{inserts}END", settings).finishes()
    # Each of the two sinks announces its partitions by itself: the last `_SUCCESS` is newer than all files.
    table.audit(rows.expected(), rows.paths())


def test_two_jobs_write_into_one_path(lake: Lake) -> None:
    """Each has half of the rows, and a writer of one is killed between two completions: neither touches the other's files, and each
    announces what it has written.
    """
    rows = Rows(20_000)
    table = lake.table(rows, MULTIPART)
    settings = {"parallelism.default": "1", "execution.checkpointing.interval": "500 ms"}
    halves = [f"INSERT INTO sink {rows.query} AND MOD(id, 2) = {half}" for half in (0, 1)]
    with lake.faults.hold("commit-after-complete") as reached:
        jobs = [lake.insert(rows.source(2_500) + table.ddl, half, settings) for half in halves]
        jobs[0].kills(reached())
        wait_for("one of them to fail", lambda: sum(job.failures() for job in jobs) == 1)
    for job in jobs:
        job.runs_or_ended().finishes()
    assert sorted(job.failures() for job in jobs) == [0, 1], "one job's death is nothing to the other"
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())
