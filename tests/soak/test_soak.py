"""The soak in short, and its schedule."""

from collections import Counter
from pathlib import Path

import pytest

from tests.soak.run import soak
from tests.soak.schedule import EVERY, FAULTS, RESTORES, schedule
from tests.soak.stage import stage

SHORT = 4 * EVERY


@pytest.mark.parametrize("seed", range(5))
def test_a_seed_gives_its_schedule_again(seed: int) -> None:
    """The same seed gives the same deeds; every minute has four faults and a restore at least, every three minutes a rescale, and no kind stays out."""
    deeds = schedule(600, seed)
    assert deeds == schedule(600, seed)
    assert deeds != schedule(600, seed + 1), "another seed gives others"
    for minute in range(10):
        kinds = Counter(deed.kind for deed in deeds if minute * 60 <= deed.second < minute * 60 + 60)
        assert sum(kinds[kind] for kind in FAULTS) >= 4
        assert sum(kinds[kind] for kind in RESTORES) >= 1
    parallelism = [deed.parallelism for deed in deeds if deed.parallelism]
    assert all(len(set(parallelism[first : first + 3])) == 2 for first in range(len(parallelism) - 2)), (
        "a rescale in any three restores"
    )
    assert {deed.kind for deed in deeds} == {*FAULTS, *RESTORES}


@pytest.mark.timeout(3_600)  # for slow machines; it takes a minute and a half
def test_short_soak(tmp_path: Path) -> None:
    """Three faults and a restore with another parallelism in 40 seconds: every row once, every day announced, none early."""
    with stage(tmp_path) as lake:
        result = soak(lake, tmp_path, SHORT, seed=1, say=print)
    assert len(result.deeds) == len(schedule(SHORT, 1)), "everything on the schedule was done"
    assert result.rescales == 1
    assert result.landed.rows > 10_000
