"""A sample of the job tier; `make faults` does all of it."""

import random
from pathlib import Path

import pytest

from tests.faults.jobs.mutants import MAIN, MUTANTS
from tests.faults.jobs.steps import TASK, TASK_POINTS, steps
from tests.faults.jobs.tier import one_round
from tests.faults.lines import GATEWAY
from tests.faults.matrix import POINTS, STRIKES
from tests.faults.report import ROOT
from tests.support.servers import SERVERS

SAMPLED = 3


@pytest.mark.timeout(3_600)  # for slow machines; it takes a minute and a half
def test_job_gets_over_a_sample(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    """Wrong answers of the store, and deaths of processes at named points, in one running job: each row once, no day announced early."""
    seed = pytestconfig.getoption("--fault-seed")
    draw = random.Random(seed)
    everything = steps("versitygw")
    tasks = [case for case in everything if case.stage == TASK]
    sample = draw.sample([case for case in everything if case.stage != TASK], SAMPLED) + draw.sample(tasks, 1)
    found: dict[str, dict[str, object]] = {}
    landed = one_round("versitygw", sample, tmp_path / "round", found, print)
    assert set(found) == {case.id for case in sample}, "each was done"
    assert landed.rows > 0


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_of_the_shim_fit_its_source(name: str) -> None:
    """What a mutant changes stands in the source once, so that it can be made."""
    mutant = MUTANTS[name]
    assert (ROOT / "java-shim" / MAIN / mutant.file).read_text().count(mutant.before) == 1


def test_job_tier_leaves_nothing_out() -> None:
    """Each call but the one that needs an orderly end, each point of both languages, on each server."""
    for server in SERVERS:
        everything = steps(server)
        assert {rule.call for case in everything for rule in case.rules} == {*STRIKES} - {"AbortMultipartUpload"}
        assert {case.blow.point for case in everything if case.blow} == {*POINTS, *TASK_POINTS}
        assert {case.spell.toxic for case in everything if case.spell} == GATEWAY, "each way to break the line to the task"
        assert len({case.id for case in everything}) == len(everything)
