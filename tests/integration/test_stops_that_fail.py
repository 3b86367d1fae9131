"""Deaths in the last moments of a job, and in its committer's policy. Each ends with the audit."""

import re
from collections import Counter
from collections.abc import Callable

import pytest

from tests.integration.lake import BRIDGE, MULTIPART, Lake
from tests.integration.stage import GATED, Stage
from tests.support.rest import RestFailed

FIRST, SECOND = "2024-01-01", "2024-01-02"


@pytest.mark.parametrize("drain", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_writers_die_after_a_stops_savepoint(stage: Callable[..., Stage], lake: Lake, drain: bool) -> None:
    """The savepoint of a stop is complete and all writers die before its files are: Flink ends the job, whatever its restart strategy
    is, and names the savepoint. A job from there completes the files.
    """
    here = stage(BRIDGE, MULTIPART)
    job = here.starts()
    here.feeds(range(10), FIRST)
    here.checkpoints()
    here.feeds(range(10, 20), SECOND)

    # Phase 1: stopped, and the writers die.
    with lake.faults.hold("commit-before-complete") as committing:
        request = lake.cluster.jobs.trigger_stop(job.id, lake.cluster.savepoint_folder, drain)
        committing()
        # With drain, Flink tries a checkpoint behind the savepoint, since tasks have ended.
        told_of = [each for each in lake.cluster.jobs.checkpoints(job.id)["history"] if each["is_savepoint"]]
        assert [each["status"] for each in told_of] == ["COMPLETED"], f"the savepoint is complete: {told_of}"
        assert here.visible() == Counter(range(10)), "and nothing of it is visible"
        begun = {each.upload_id for each in here.table.listing().uploads}
        assert begun, "though it's all uploaded"
        for writer in job.writers():
            job.kills(writer)
        with pytest.raises(RestFailed, match="savepoint is consistent") as told:
            lake.cluster.jobs.savepoint_path(job.id, request)
        job.fails()

    # Phase 2: another job goes on.
    named = re.search(r"file:\S*/savepoint-[0-9a-f-]+", str(told.value))
    assert named, f"Flink names the savepoint: {told.value}"
    here.starts(savepoint=named.group())
    completed = {each.facts["upload_id"] for each in lake.faults.reached("restore-after-complete")}
    assert completed == begun, "a restore ends with the very uploads that the savepoint names"
    assert here.visible() == Counter(range(20)), "which make its rows visible"
    here.feeds(range(20, 30), SECOND)
    here.ends()


def test_a_taskmanager_dies_in_the_middle_of_a_policy(stage: Callable[..., Stage], lake: Lake) -> None:
    """Kill -9 while the committer is in a policy: the files are visible, the partition isn't announced; the next committer does it."""
    here = stage(BRIDGE, {**MULTIPART, **GATED})
    job = here.starts()
    here.feeds(range(10), FIRST)
    here.gates.holds("call1")
    job.takes_checkpoint()
    here.gates.waits_for_reached("call1")
    assert here.visible() == Counter(range(10)), "files come before their announcement (I4)"
    assert not here.success(), "which is under way"
    failures = job.failures()
    lake.kill_taskmanager()
    here.gates.releases("call1")
    job.fails_over(failures)
    here.feeds(range(10, 20), SECOND)
    here.checkpoints()
    assert here.gates.calls()[FIRST] == 2, "the policy has run again, from its beginning: announcements are at least once"
    assert here.visible() == Counter(range(20)), "and no row did"
    here.ends()
