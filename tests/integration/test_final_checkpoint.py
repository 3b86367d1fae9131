"""The last checkpoint of a bounded job, and what comes of it when its files aren't visible yet. Each ends with the audit."""

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
