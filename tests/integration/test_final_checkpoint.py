"""The last checkpoint of a bounded job: what comes of it when its files aren't visible yet, and where its committer runs. Each ends with the audit."""

from pathlib import Path

import pytest

from tests.integration.faults import stays_false
from tests.integration.lake import MULTIPART, Lake
from tests.integration.rows import Rows

ONLY_THE_FINAL_ONE = "1 h"
ROWS = Rows(10_000)


@pytest.mark.parametrize("goes_on", ["the same job", "another job"])
def test_a_final_checkpoint_is_restored(lake: Lake, goes_on: str) -> None:
    """All input is read and the one checkpoint is complete when the writers die: nothing has been announced; whoever goes on reads no
    row again, completes the files and announces them.
    """
    table = lake.table(ROWS, MULTIPART)
    settings = {"pipeline.operator-chaining.enabled": "false"}
    with lake.faults.hold("commit-before-complete") as reached:
        job = lake.stream(table, ROWS, parallelism=2, checkpoint=ONLY_THE_FINAL_ONE, settings=settings)
        reached()
        stays_false("an announcement", lambda: table.listing().success)
        begun = {each.upload_id for each in table.listing().uploads}
        assert len(begun) == 2 * ROWS.partitions, "each of two writers has a file of each partition to complete"
        for writer in job.writers():
            job.kills(writer)
        if goes_on == "another job":
            job.cancels()
    if goes_on == "another job":
        checkpoint = lake.cluster.latest_checkpoint(job.id).as_uri()
        job = lake.stream(table, ROWS, parallelism=2, checkpoint=ONLY_THE_FINAL_ONE, savepoint=checkpoint, settings=settings)
    job.finishes()
    created = {each.facts["upload_id"] for each in lake.faults.reached("after-create")}
    assert created == begun, "no row was written again"
    table.audit(ROWS.expected(), ROWS.paths())


SLOTS_OF_ITS_OWN = """
import sys

from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import StreamTableEnvironment

source, sink, insert, group = sys.argv[1:]
environment = StreamExecutionEnvironment.get_execution_environment()
environment.set_parallelism(2)
environment.enable_checkpointing(500)
tables = StreamTableEnvironment.create(environment)
tables.execute_sql(source)
tables.execute_sql(sink)
statements = tables.create_statement_set()
statements.add_insert_sql(insert)
statements.attach_as_datastream()


def every(transformation):
    yield transformation
    for before in transformation.getInputs():
        yield from every(before)


(end,) = environment._j_stream_execution_environment.getTransformations()
(committer,) = (each for each in every(end) if each.getName() == "PartitionCommitter")
committer.setSlotSharingGroup(group)
print("job", environment.execute().get_job_id())
"""


@pytest.mark.thorough
def test_a_committer_in_slots_of_its_own(lake: Lake, tmp_path: Path) -> None:
    """The committer is in another slot sharing group than the writers, so it shares no slot with them: bounded input ends as ever."""
    table = lake.table(ROWS, MULTIPART)
    script = tmp_path / "insert.py"
    script.write_text(SLOTS_OF_ITS_OWN)
    insert = f"INSERT INTO sink {ROWS.query}"
    said = lake.cluster.run_python(script, *map(statement, (ROWS.source(5_000), table.ddl, insert)), "committers")
    job = said.rpartition("job ")[2].split()[0]
    groups = {str(each["name"]): each["slotSharingGroupId"] for each in lake.cluster.jobs.job(job)["vertices"]}
    (committers,) = {group for name, group in groups.items() if "PartitionCommitter" in name}
    (writers,) = {group for name, group in groups.items() if "BridgeFileWriter" in name}
    assert committers != writers, f"each has its own: {groups}"
    table.audit(ROWS.expected(), ROWS.paths())


def statement(text: str) -> str:
    """As `execute_sql` takes it."""
    return text.strip().removesuffix(";")
