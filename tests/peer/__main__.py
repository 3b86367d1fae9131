"""The command: `python -m tests.peer [--only s3] [--evidence]`. Exit code 0 only where every run is as it must be."""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.faults.report import commit
from tests.peer import report
from tests.peer.stage import Stage, stage
from tests.peer.suites import RUNS, short
from tests.peer.verdict import class_troubles, troubles


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.peer", description=__doc__)
    parser.add_argument("--only", choices=RUNS, help="one run, and no comparison with the others")
    parser.add_argument("--jobs", type=int, default=2, help="classes at a time")
    parser.add_argument("--evidence", action="store_true", help="write docs/evidence/peer.{json,md}")
    return parser.parse_args()


def main() -> int:
    """Run the classes that are still to be run at this commit; whatever isn't as it must be is told at the end."""
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    began, tested = time.monotonic(), commit()
    kept = report.Kept(tested)
    wanted = [options.only] if options.only else list(RUNS)

    def one(lake: Stage, run: str, suite: str) -> None:
        outcome = lake.run(suite).numbers()
        kept.add(run, suite, outcome)
        verdict = "FAILED" if class_troubles(run, suite, outcome) else "as it must be"
        spent = time.monotonic() - began
        print(f"[{spent:6.1f} s] {run}: {short(suite)}: {len(outcome['tests'])} tests, {verdict}", flush=True)

    for run in wanted:
        todo = [suite for suite in RUNS[run] if not kept.done(run, suite)]
        folder = Path(tempfile.mkdtemp(prefix="peer-"))
        if todo:
            with stage(run, folder) as lake, ThreadPoolExecutor(options.jobs) as pool:
                list(pool.map(lambda suite, lake=lake, run=run: one(lake, run, suite), todo))
        shutil.rmtree(folder)
    runs = {run: {suite: kept.runs[run][suite] for suite in RUNS[run] if suite in kept.runs[run]} for run in wanted}
    found = troubles(runs)
    print("\n".join([*found, *report.lines(runs), f"troubles: {len(found)}"]))
    if options.evidence and not options.only:
        report.write(runs, found, tested)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
