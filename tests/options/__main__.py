"""`python -m tests.options [--only REGEX] [--evidence]`: ignores each option of docs/options.md in turn, and demands that its tests notice.

Exit code 1 where one doesn't. What has noticed at this commit isn't run again.
"""

import argparse
import re
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.report import commit
from tests.options import mutant, proof, report
from tests.options.page import Option, options
from tests.options.stage import Standing, standing


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.options", description=__doc__)
    parser.add_argument("--only", default="", metavar="REGEX", help="some options, by their key")
    parser.add_argument("--evidence", action="store_true", help="write docs/evidence/options.{json,md}")
    return parser.parse_args()


def control(kept: report.Kept, chosen: list[Option], stage: Standing) -> list[str]:
    """The tests that fail with the mutated shim though it ignores nothing: what they'd say of an option would mean nothing."""
    tests = sorted({test for option in chosen for test in option.tests} - set(kept.passing))
    came = proof.run("", tests, stage) if tests else {}
    kept.passes([test for test, each in came.items() if each.passed])
    return [f"{test}: {each.why}" for test, each in came.items() if not each.passed]


def prove(kept: report.Kept, todo: list[Option], stage: Standing) -> None:
    """Each of these options, which is kept at once. One whose test fails anyway is left out."""
    for each in control(kept, todo, stage):
        print(f"FAILS with nothing ignored: {each}", flush=True)
    for option in todo:
        if not set(option.tests) <= set(kept.passing):
            continue
        began = time.monotonic()
        kept.add(option, proof.run(option.key, option.tests, stage))
        for test, found in kept.proofs[option.key].items():
            print(f"{found['verdict']:9} {option.key}: {test} [{time.monotonic() - began:.0f} s] {found['why']}", flush=True)


def main() -> int:
    """The exit code: 0 only where all that was chosen has noticed."""
    given = arguments()
    # As by Ctrl-C: pytest would take an exit for a test's failure, and so for a proof.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    kept, every = report.Kept(commit()), options()
    chosen = [option for option in every if re.search(given.only, option.key)]
    todo = [option for option in chosen if not kept.proved(option)]
    if todo:
        mutant.build(kept.commit)
        with tempfile.TemporaryDirectory(prefix="option-proofs-") as folder, standing(Path(folder), mutant.jar()) as stage:
            prove(kept, todo, stage)
    if given.evidence:
        report.write(kept, every)
    unproved = [option.key for option in chosen if not kept.proved(option)]
    print(f"{len(chosen) - len(unproved)} of {len(chosen)} options proved" + f"; not: {', '.join(unproved)}" * bool(unproved))
    return 1 if unproved else 0


if __name__ == "__main__":
    sys.exit(main())
