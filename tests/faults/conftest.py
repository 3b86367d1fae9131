"""The bench that all fault tests share, and the sample of the matrix that a seed draws."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.bench import Bench, bench
from tests.faults.case import Case
from tests.faults.matrix import cases
from tests.faults.mutants import MUTANTS
from tests.support.servers import SERVERS

SAMPLED = {"start": 1, "write": 5, "commit": 6, "restore": 4, "replay": 2, "close": 1}
"""Cases of each stage in a sample; `make faults` runs all."""
MUTANTS_SAMPLED = 2


def sample(seed: int) -> list[Case]:
    """Some cases of each stage, the same for the same seed."""
    source = random.Random(seed)
    everything = cases()
    return [
        case
        for stage, count in SAMPLED.items()
        for case in source.sample([each for each in everything if each.stage == stage], count)
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`case` is the sample, `mutant` some of the mutants."""
    seed = metafunc.config.getoption("--fault-seed")
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", [pytest.param(case, id=case.id) for case in sample(seed)])
    if "mutant" in metafunc.fixturenames:
        metafunc.parametrize("mutant", random.Random(seed).sample(sorted(MUTANTS), MUTANTS_SAMPLED))


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """One JVM, and one server and proxy of each kind, for all cases."""
    with bench(Path(tmp_path_factory.mktemp("faults")), set(SERVERS)) as started:
        yield started
