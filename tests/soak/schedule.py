"""What will be done to the job, and when: a seed in, a list of deeds out. Pure, so that a seed gives the same list again."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

EVERY = 10.0
"""Seconds between two deeds: six a minute, every fifth a restore from a snapshot. Five would be four faults a minute only if nothing ran late."""

FAULTS = ("writer", "writer-at-point", "writer-in-restore", "taskmanager", "store", "writer-exception", "commit-policy")
"""What a job must get over by itself, or by Flink's restart."""

RESTORES = ("savepoint", "jobmanager", "cancel")
"""A new job starts from a savepoint, or from the last retained checkpoint of a job that was lost or cancelled."""

POINTS = ("after-part", "after-ready", "barrier-before-ready", "commit-before-complete", "commit-after-complete")
PARALLELISM = (2, 3)


@dataclass(frozen=True)
class Deed:
    """`second` since the job's start; `point` of a writer; `parallelism` of the job that a restore starts."""

    second: float
    kind: str
    point: str = ""
    parallelism: int = 0

    def __str__(self) -> str:
        return (
            self.kind
            + (f" at {self.point}" if self.point else "")
            + (f", parallelism {self.parallelism}" if self.parallelism else "")
        )


def schedule(seconds: float, seed: int) -> list[Deed]:
    """Deeds over so many seconds: of any five in a row one is a restore, and every second restore rescales."""
    draw = random.Random(seed)
    faults, restores = _dealt(FAULTS, draw), _dealt(RESTORES, draw)
    parallelism = PARALLELISM[0]
    deeds = []
    for number in range(int(seconds / EVERY)):
        second = round((number + draw.uniform(0.2, 0.8)) * EVERY, 1)
        if number % 5 == 2:
            if number % 10 == 2:
                parallelism = PARALLELISM[1] if parallelism == PARALLELISM[0] else PARALLELISM[0]
            deeds.append(Deed(second, next(restores), parallelism=parallelism))
        else:
            kind = next(faults)
            point = draw.choice(POINTS) if kind in ("writer-at-point", "writer-exception") else ""
            deeds.append(Deed(second, kind, point))
    return deeds


def _dealt(kinds: Sequence[str], draw: random.Random) -> Iterator[str]:
    """All kinds in random order, then all again: none stays out for long."""
    while True:
        yield from draw.sample(kinds, len(kinds))
