"""The command: `python -m tests.differential --tables 40 --seed 1 [--evidence]`. Exit code 0 only where all were compared and nothing is unexplained."""

import argparse
import shutil
import signal
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.differential import report
from tests.differential.cost import cpu_seconds
from tests.differential.run import GROUP, Result, run, shrink
from tests.differential.stage import Stage, stage
from tests.differential.tables import draw_table
from tests.differential.write import MODES
from tests.faults.report import commit

AT_A_TIME = 2
"""Groups: one's jobs run while another's files are read."""

SHRUNK = 6
"""Most unexplained tables that are written again column by column."""


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=600.0, help="begin no group after them; the next run goes on there")
    parser.add_argument("--evidence", action="store_true", help="write docs/evidence/differential.{json,md}")
    return parser.parse_args()


class Run:
    """The groups of one command, from where an earlier one was ended."""

    def __init__(self, options: argparse.Namespace, kept: report.Kept) -> None:
        self._options, self._kept = options, kept
        self._began, self._cpu = time.monotonic(), 0.0
        self._lock = threading.Lock()
        self._failed: list[Result] = []

    def say(self, line: str) -> None:
        print(f"[{time.monotonic() - self._began:6.1f} s] {line}", flush=True)

    def through(self, folder: Path) -> None:
        """All groups that are to be run, then the single columns of what is unexplained."""
        size = range(0, self._options.tables, GROUP)
        groups = [range(first, min(first + GROUP, self._options.tables)) for first in size]
        todo = [(place, group) for place, group in enumerate(groups) if not all(map(self._kept.done, group))]
        if not todo:
            return
        with stage(folder) as on, ThreadPoolExecutor(AT_A_TIME) as threads:
            self._cpu = cpu_seconds()
            self.say("cluster, store and Spark are up")
            try:
                for each in [threads.submit(self._group, on, place, group, folder) for place, group in todo]:
                    each.result()
            finally:
                threads.shutdown(cancel_futures=True)
            for result in self._failed + (shrink(on, self._failed[:SHRUNK], folder / "shrunk") if self._failed else []):
                self.say(result.story())

    def _group(self, on: Stage, place: int, group: range, folder: Path) -> None:
        if time.monotonic() - self._began > 60 * self._options.minutes:
            return
        with self._lock:
            # Hypothesis draws in one thread at a time.
            tables = [draw_table(self._options.seed, number) for number in group]
        results = run(on, tables, MODES[place % len(MODES)], folder / f"group-{place}")
        shutil.rmtree(folder / f"group-{place}")
        with self._lock:
            spent, self._cpu = cpu_seconds() - self._cpu, cpu_seconds()
            self._kept.add({each.table.number: each.numbers() for each in results}, spent)
            failed = [each for each in results if each.unexplained]
            self._failed += failed
            self.say(f"tables {group.start} to {group.stop - 1}: {len(failed)} unexplained, {spent:.0f} s of CPU")


def main() -> int:
    """Run the tables that are still to be run; whatever is unexplained is told at the end and gives exit code 1."""
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    tested = commit()
    kept = report.Kept(options.seed, tested)
    folder = Path(tempfile.mkdtemp(prefix="differential-"))
    try:
        Run(options, kept).through(folder)
    except Exception:
        print(f"what the processes have logged is in {folder}", flush=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    numbers = report.summary({key: each for key, each in kept.tables.items() if int(key) < options.tables})
    numbers["CPU seconds"] = round(kept.cpu_seconds)
    short = report.shortfalls(numbers, options.tables)
    print("\n".join([*report.lines(numbers), *report.matrix(numbers), *short]))
    if options.evidence:
        report.write(numbers, tested, options.tables, options.seed)
    return 1 if numbers["unexplained"] or numbers["rules that are too broad"] or short else 0


if __name__ == "__main__":
    sys.exit(main())
