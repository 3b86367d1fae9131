"""One soak: what the schedule says, done to a stream."""

import itertools
import random
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.integration.faults import wait_for
from tests.integration.lake import Lake
from tests.soak.deeds import Deeds
from tests.soak.schedule import FAULTS, PARALLELISM, RESTORES, Deed, schedule
from tests.soak.stream import PATIENCE, Stream
from tests.soak.streamed import Landed, Say, streamed


@dataclass
class Done:
    """A deed, with seconds since the job's start: when it began and when the job was right again."""

    deed: Deed
    began: float
    right: float


@dataclass
class Result:
    """What a soak has shown; the numbers of a report."""

    deeds: list[Done] = field(default_factory=list)
    landed: Landed = field(default_factory=Landed)

    def count(self, kinds: tuple[str, ...]) -> int:
        return sum(done.deed.kind in kinds for done in self.deeds)

    @property
    def rescales(self) -> int:
        before = [PARALLELISM[0], *(done.deed.parallelism for done in self.deeds if done.deed.parallelism)]
        return sum(one != other for one, other in itertools.pairwise(before))

    def numbers(self) -> dict[str, Any]:
        """Everything, as it goes into JSON."""
        landed = self.landed
        return {
            **asdict(landed),
            "seconds": round(landed.seconds, 1),
            "faults": self.count(FAULTS),
            "restores": self.count(RESTORES),
            "rescales": self.rescales,
            "deeds_per_minute": round(len(self.deeds) / landed.seconds * 60, 2),
            "rows_per_second": round(landed.rows / landed.seconds),
            "schedule": [
                {"planned": each.deed.second, "began": each.began, "right": each.right, "what": str(each.deed)}
                for each in self.deeds
            ],
        }


def soak(lake: Lake, folder: Path, seconds: float, seed: int, say: Say) -> Result:
    """Stream, do what the schedule says, drain, audit. Raises for whatever is wrong."""
    result = Result()

    def by_schedule(stream: Stream) -> None:
        began = time.monotonic()
        _do(schedule(seconds, seed), Deeds(stream, random.Random(seed)), result, lambda: round(time.monotonic() - began, 1), say)
        wait_for("the end of the time", lambda: time.monotonic() >= began + seconds, PATIENCE + seconds)

    result.landed = streamed(lake, folder, say, by_schedule)
    return result


def _do(plan: list[Deed], deeds: Deeds, result: Result, now: Callable[[], float], say: Say) -> None:
    for deed in plan:
        wait_for("the deed's time", lambda due=deed.second: now() >= due, deed.second + PATIENCE)  # type: ignore[misc]
        at = now()
        say(f"at {at:.1f} s: {deed}")
        deeds.do(deed)
        result.deeds.append(Done(deed, at, now()))
        say(f"at {now():.1f} s: right again after {now() - at:.1f} s")
