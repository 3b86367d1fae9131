"""A sample of the matrix; `make faults` runs all of it, and all mutants."""

import re
from pathlib import Path

from tests.faults.bench import Bench
from tests.faults.case import STAGES, Case
from tests.faults.matrix import OPEN_POINTS, POINTS, STRIKES, cases
from tests.faults.mutants import MUTANTS, killed
from tests.faults.run import Run
from tests.support.faultproxy.flavours import FLAVOURS
from tests.support.servers import SERVERS


def prefix_of(name: str) -> str:
    """A table's path that no other test has."""
    return re.sub("[^a-z0-9]+", "-", name.lower())


def test_fault_loses_and_doubles_nothing(shared: Bench, case: Case, tmp_path: Path) -> None:
    """The fault strikes; the writer gets over it, or the job fails with a clear word and a restart is right again; the audit is clean."""
    Run(shared, case, prefix_of(case.id), tmp_path).run()


def test_mutant_is_noticed(shared: Bench, mutant: str, tmp_path: Path) -> None:
    """A writer that does this wrong fails one of the cases that are there for it."""
    assert killed(shared, mutant, tmp_path) is not None, f"no case noticed {mutant}"


def test_matrix_leaves_nothing_out() -> None:
    """Each call, fault point, stage, flavour and server has cases; each mutant names some that exist."""
    everything = cases()
    struck = {(rule.call, side) for case in everything for rule in case.rules for side in [rule.side]}
    assert struck >= {(call, side) for call in STRIKES for side in ("before", "after")}, "each call is struck on both sides"
    assert {case.blow.point for case in everything if case.blow} == {*POINTS, *OPEN_POINTS}
    assert {case.stage for case in everything} == set(STAGES)
    assert {case.flavour for case in everything} - {""} == set(FLAVOURS)
    assert {case.server for case in everything} == set(SERVERS)
    for name, mutant in MUTANTS.items():
        for pattern in mutant.cases:
            assert any(re.match(pattern, case.id) for case in everything), f"{name}: no case like {pattern}"
