"""A job goes on with another sink for the same table: Flink's own, or the bridge. Each ends with the audit."""

from collections.abc import Callable

import pytest

from tests.integration.lake import BRIDGE, MULTIPART, STOCK, Lake
from tests.integration.stage import IGNORING, Stage
from tests.support.rest import RestFailed

FIRST, SECOND, THIRD = "2024-01-01", "2024-01-02", "2024-01-03"


def is_refused(here: Stage, savepoint: str) -> None:
    """Flink starts no job whose savepoint has state that no operator claims, and says which switch would forget that state."""
    with pytest.raises(RestFailed, match=r"(?s)Cannot map checkpoint/savepoint state .* --allowNonRestoredState"):
        here.starts(savepoint=savepoint)
    assert here.lake.cluster.jobs.free_slots() > 0, "the cluster goes on"


FALLS_BACK = {"auto-compaction": "true", "sink.fallback": "allow"}


@pytest.mark.parametrize("written_by", ["Flink's sink", "a fallback"])
def test_a_savepoint_of_flinks_sink(stage: Callable[..., Stage], lake: Lake, written_by: str) -> None:
    """The bridge refuses it, pending files and all; from a drained one the job goes on with its source where it was."""
    here = stage(STOCK if written_by == "Flink's sink" else BRIDGE)
    if written_by == "a fallback":
        here.table.options.update(FALLS_BACK)
    job = here.starts()
    here.feeds(range(10), FIRST)
    savepoint = lake.cluster.jobs.savepoint(job.id, lake.cluster.savepoints.as_uri())
    drained = job.stops(drain=True)
    here.table.connector = STOCK  # so that names of Flink's files are data
    assert here.visible().total() == 10, "draining has made everything visible"

    here.table.connector = BRIDGE
    for key in FALLS_BACK:
        here.table.options.pop(key, None)
    is_refused(here, savepoint)
    here.starts(savepoint=drained, settings=IGNORING)
    here.feeds(range(10, 20), SECOND)
    here.job.stops(drain=True)
    # Both sinks' files are there.
    here.table.connector = STOCK
    here.audits()


def test_a_savepoint_of_the_bridge(stage: Callable[..., Stage], lake: Lake) -> None:
    """Flink's sink refuses it, asked for or as a fallback, and the files that it names wait for the bridge; a drained one lets go."""
    here = stage(BRIDGE, MULTIPART)
    # Phase 1: a checkpoint is complete and its file isn't visible.
    with lake.faults.hold("commit-before-complete") as reached:
        job = here.starts()
        here.feeds(range(10), FIRST)
        lake.cluster.jobs.checkpoint(job.id, job.asks_for_checkpoint())
        job.kills(reached())
        job.cancels()
    pending = {each.upload_id for each in here.table.listing().uploads}
    assert pending, "the checkpoint names an upload"
    assert not here.visible(), "whose rows can't be seen"
    checkpoint = lake.cluster.latest_checkpoint(job.id).as_uri()

    # Phase 2: the table falls back, then is Flink's altogether.
    here.table.options.update(FALLS_BACK)
    is_refused(here, checkpoint)
    here.table.connector = STOCK
    is_refused(here, checkpoint)
    assert {each.upload_id for each in here.table.listing().uploads} == pending, "nobody has touched it"

    # Phase 3: back to the bridge, which completes it, and drained, so that Flink's sink can go on.
    here.table.connector = BRIDGE
    for key in FALLS_BACK:
        del here.table.options[key]
    here.starts(savepoint=checkpoint)
    assert here.visible().total() == 10, "completed before the first row (I2)"
    here.feeds(range(10, 20), SECOND)
    drained = here.job.stops(drain=True)
    here.table.connector = STOCK
    here.starts(savepoint=drained, settings=IGNORING)
    here.feeds(range(20, 30), THIRD)
    here.job.stops(drain=True)
    here.audits()
