"""The command: `python -m tests.soak --seconds 600 --seed 1 [--mutant NAME] [--evidence]`. Exit code 0 only where the audit is clean."""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.jobs.mutants import MUTANTS as SHIMS
from tests.faults.mutants import MUTANTS as WRITERS
from tests.faults.report import commit
from tests.soak import report
from tests.soak.run import soak
from tests.soak.schedule import schedule
from tests.soak.stage import stage


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--mutant", default="", choices=sorted({*WRITERS, *SHIMS}), help="a writer or a shim that is wrong: the soak must fail"
    )
    parser.add_argument("--evidence", action="store_true", help="write docs/evidence/soak.{json,md}")
    parser.add_argument("--plan", action="store_true", help="only list what would be done")
    return parser.parse_args()


def main() -> int:
    """Run one soak; whatever is wrong is told in one place and gives exit code 1."""
    options = arguments()
    if options.plan:
        print("\n".join(f"{deed.second:7.1f} s  {deed}" for deed in schedule(options.seconds, options.seed)))
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    began, tested = time.monotonic(), commit()

    def say(line: str) -> None:
        print(f"[{time.monotonic() - began:6.1f} s] {line}", flush=True)

    say(f"seed {options.seed}, {options.seconds:.0f} s" + (f", mutant {options.mutant}" if options.mutant else ""))
    try:
        with stage(folder, options.mutant) as lake:
            result = soak(lake, folder, options.seconds, options.seed, say)
    except Exception as error:  # noqa: BLE001  # any of them is the answer: the soak failed
        why = f"{type(error).__name__}: {error}"
        say(f"soak failed: {why[:4_000]}")
        if options.evidence and options.mutant:
            report.write_mutant(options.mutant, why, tested, options.seconds, options.seed)
        say(f"logs and checkpoints are in {folder}")
        return 1
    numbers = result.numbers()
    if options.evidence and not options.mutant:
        report.write(numbers, tested, options.seconds, options.seed)
    shutil.rmtree(folder)
    print(
        f"soak: {numbers['rows']} rows in and out, each once; {numbers['faults']} faults, {numbers['restores']} restores, "
        f"{numbers['rescales']} rescales, {numbers['restarts']} restarts, {numbers['days']} days announced, none early"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
