"""The job tier as a command runs it: rounds of steps, each on a stream of its own that ends with the audit.

A step counts as done when the audit of its round is clean, and isn't done again at the same commit.
"""

import random
import time
from collections.abc import Sequence
from pathlib import Path

from tests.faults.case import Case
from tests.faults.jobs.run import Steps
from tests.faults.jobs.stage import stage
from tests.faults.report import Report
from tests.soak.stream import Stream
from tests.soak.streamed import Landed, Say, streamed

ROUND = 30


def job_tier(server: str, kept: Report, chosen: Sequence[Case], folder: Path, say: Say) -> bool:
    """Whether all that was left has passed; the first that fails ends its round, and the tier goes on with the next."""
    todo = [case for case in chosen if not kept.done(case.id)]
    random.Random(kept.content["seed"]).shuffle(todo)
    say(f"job tier on {server}: {len(chosen)} steps, {len(chosen) - len(todo)} done before, seed {kept.content['seed']}")
    fine = True
    for number in range(0, len(todo), ROUND):
        found: dict[str, dict[str, object]] = {}
        try:
            landed = one_round(server, todo[number : number + ROUND], folder / f"round-{number}", found, say)
        except Exception as wrong:  # noqa: BLE001  # whatever it is, the other rounds are to be seen, too
            say(f"FAIL {type(wrong).__name__}: {str(wrong)[:3000]}")
            fine = False
            continue
        say(f"audit clean: {landed.rows} rows in {landed.files} files, {landed.restarts} restarts, {landed.orphans} orphans")
        for case, result in found.items():
            kept.add(case, result)
    return fine


def one_round(server: str, cases: Sequence[Case], folder: Path, found: dict[str, dict[str, object]], say: Say) -> Landed:
    """Do `cases` to one stream; `found` takes what each has shown. Raises for whatever is wrong, the audit included."""

    def each(stream: Stream) -> None:
        for case in cases:
            began = time.monotonic()
            result = Steps(stream, faulty.proxy, faulty.lines).do(case)
            found[case.id] = {**result, "seconds": round(time.monotonic() - began, 1)}
            say(f"ok   {found[case.id]['seconds']:6.1f} s  {case.id}  struck {result['struck']}, restarts {result['restarts']}")

    folder.mkdir(parents=True)
    with stage(folder, server) as faulty:
        return streamed(faulty.lake, folder, say, each)
