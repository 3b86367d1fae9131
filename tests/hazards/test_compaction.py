"""H16: auto-compaction, which the bridge leaves to Flink's own sink, and the checkpoints that it outruns."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.lake import BUCKET, STOCK
from tests.integration.stage import Stage
from tests.support.rest import RestFailed

COMPACTING = {"format": "parquet", "auto-compaction": "true"}
DAY = "2024-01-01"


def hidden(here: Stage) -> list[str]:
    """Names of the files that wait to be compacted."""
    listed = here.lake.server.client().list_objects_v2(Bucket=BUCKET, Prefix=here.table.name).get("Contents", [])
    return [each["Key"] for each in listed if "/.uncompacted-" in each["Key"]]


def test_h16_an_older_checkpoint_is_lost_to_compaction(stage: Callable[..., Stage]) -> None:
    """Compacted files are removed one checkpoint later, though Flink still retains checkpoints that name them: these can't be restored."""
    here = stage(STOCK, COMPACTING)
    job = here.starts(writers=1)

    def retained() -> list[Path]:
        return here.lake.cluster.checkpoints_of(job.id)

    # Phase 1: a file is committed by the first checkpoint, compacted, and removed with the second or third.
    here.feeds(range(10), DAY)
    here.checkpoints(1)
    (oldest,) = retained()
    here.feeds(range(10, 20), DAY)
    here.checkpoints(3)
    assert len(retained()) > 1, "several checkpoints are retained"
    assert retained()[0] == oldest, "the oldest among them: it is there to be restored"
    here.job.waits_for("the compacted files' removal", lambda: not hidden(here))
    here.job.cancels()
    assert set(here.visible()) == set(range(20)), "nothing is wrong with the table itself"

    # Phase 2: whoever goes back to it finds that it names files that are gone.
    newest = retained()[-1]
    with pytest.raises(RestFailed, match=r"\.uncompacted-"):
        here.starts(writers=1, savepoint=oldest.as_uri(), settings={"restart-strategy.type": "none"}).takes_checkpoint()

    # Phase 3: from the newest it can.
    here.starts(writers=1, savepoint=newest.as_uri())
    here.feeds(range(20, 30), DAY)
    here.checkpoints(2)
    assert set(here.visible()) == set(range(30)), "with every row"
    here.job.cancels()
