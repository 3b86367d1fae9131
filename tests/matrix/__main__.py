"""The command: `python -m tests.matrix [--only 2.2] [--evidence]`. Exit code 0 only where every chosen line is ok."""

import argparse
import os
import subprocess
import sys

from tests.faults.report import ROOT, commit
from tests.matrix import report
from tests.matrix.lines import SUITES, Line, chosen
from tests.matrix.outcome import Outcome, read

MARKS = "not thorough and not containers"


def run(line: Line, suite: str) -> Outcome:
    """The module by pytest in the line's own environment, where `import pyflink` gives that Flink."""
    result = line.folder / "reports" / f"{suite}.xml"
    result.parent.mkdir(parents=True, exist_ok=True)
    result.unlink(missing_ok=True)
    command = [str(line.python), "-m", "pytest", f"tests/integration/{suite}.py", "-m", MARKS, "--junitxml", str(result)]
    environment = {
        **os.environ,
        "PARTITION_BRIDGE_TEST_JARS": str(line.jars),
        "PATH": os.pathsep.join([str(line.python.parent), os.environ["PATH"]]),
    }
    with result.with_suffix(".log").open("w") as log:
        subprocess.run(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False)
    return read(result)


def main() -> int:
    """Run the modules that haven't passed at this commit yet."""
    parser = argparse.ArgumentParser(prog="python -m tests.matrix", description=__doc__)
    parser.add_argument("--only", default="", help="a line, as 2.2")
    parser.add_argument("--evidence", action="store_true", help="write docs/evidence/matrix.{json,md}")
    options = parser.parse_args()
    lines, kept = chosen(options.only), report.Kept(commit())
    ok = True
    for line in lines:
        for suite in SUITES:
            if not kept.outcome(line, suite).ok:
                kept.add(line, suite, run(line, suite))
                print(f"flink {line.version}: {suite}: {'ok' if kept.outcome(line, suite).ok else 'FAILED'}", flush=True)
        outcomes = {suite: kept.outcome(line, suite) for suite in SUITES}
        ok &= all(each.ok for each in outcomes.values())
        print(report.verdict(line, outcomes), flush=True)
    if options.evidence and not options.only:
        report.write(kept, lines, SUITES)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
