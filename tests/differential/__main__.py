"""The command: `python -m tests.differential --tables 40 --seed 1 [--evidence]`. Exit code 0 only where nothing is unexplained."""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.differential import report
from tests.differential.run import GROUP, Result, run, shrink
from tests.differential.stage import stage
from tests.differential.tables import draw_table
from tests.differential.write import MODES
from tests.faults.report import commit
from tests.support.spark import spark_session


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--evidence", action="store_true", help="write docs/evidence/differential.{json,md}")
    return parser.parse_args()


def main() -> int:
    """Run the tables that are still to be run; whatever is unexplained is told at the end and gives exit code 1."""
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    began, tested = time.monotonic(), commit()
    kept = report.Kept(options.seed, tested)

    def say(line: str) -> None:
        print(f"[{time.monotonic() - began:6.1f} s] {line}", flush=True)

    groups = [range(first, min(first + GROUP, options.tables)) for first in range(0, options.tables, GROUP)]
    todo = [(place, group) for place, group in enumerate(groups) if not all(map(kept.done, group))]
    failed: list[Result] = []
    folder = Path(tempfile.mkdtemp(prefix="differential-"))
    with ExitStack() as running:
        if todo:
            lake = running.enter_context(stage(folder))
            spark = running.enter_context(spark_session(folder))
            # What Spark can't read is an answer, told in the end; and no time of these files needs its old calendar.
            spark.sparkContext.setLogLevel("OFF")
            for kind in ("datetime", "int96"):
                spark.conf.set(f"spark.sql.parquet.{kind}RebaseModeInRead", "CORRECTED")
            say("cluster, store and Spark are up")
        for place, group in todo:
            tables = [draw_table(options.seed, number) for number in group]
            for result in run(lake, tables, MODES[place % len(MODES)], folder / f"group-{place}", spark, say):
                kept.add(result.table.number, result.numbers())
                failed += [result] if result.unexplained else []
        for result in failed + (shrink(lake, failed, folder / "shrunk") if failed else []):
            say(result.story())
    shutil.rmtree(folder)
    numbers = report.summary({key: each for key, each in kept.tables.items() if int(key) < options.tables})
    print("\n".join(report.lines(numbers)))
    if options.evidence:
        report.write(numbers, tested, options.tables, options.seed)
    return 1 if numbers["unexplained"] or numbers["rules that are too broad"] else 0


if __name__ == "__main__":
    sys.exit(main())
