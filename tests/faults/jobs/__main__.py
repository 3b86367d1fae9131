"""`python -m tests.faults.jobs`: the job tier of the fault tests. Takes up where it stopped.

--list            the ids of all steps
--only REGEX      some of them
--server NAME     versitygw or seaweedfs; both, one after the other, where not given
--evidence        write docs/evidence from what has been shown
"""

import argparse
import re
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.jobs.report import FOLDER, evidence
from tests.faults.jobs.steps import steps
from tests.faults.jobs.tier import job_tier
from tests.faults.report import Report
from tests.support.servers import SERVERS


def main() -> int:
    """The exit code: 1 where a step or an audit failed."""
    given = _arguments()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    if given.evidence:
        return evidence()
    began = time.monotonic()

    def say(line: str) -> None:
        print(f"[{time.monotonic() - began:6.0f} s] {line}", flush=True)

    fine = True
    for server in [given.server] if given.server else sorted(SERVERS):
        chosen = [case for case in steps(server) if re.search(given.only, case.id)]
        if given.list:
            print("\n".join(case.id for case in chosen))
            continue
        kept = Report(FOLDER / f"shard-{server}.json", given.seed)
        with tempfile.TemporaryDirectory(prefix="faults-jobs-") as folder:
            fine &= job_tier(server, kept, chosen, Path(folder), say)
    return 0 if fine else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.faults.jobs")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--server", choices=sorted(SERVERS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--evidence", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
