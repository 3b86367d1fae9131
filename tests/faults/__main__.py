"""`python -m tests.faults`: the writer tier of the fault tests, on servers of its own. Takes up where it stopped.

--list            the ids of all cases
--only REGEX      some of them
--shard I/N       every N-th case from the I-th on (from 1); --jobs N runs N shards side by side
--mutants         run the mutants instead of the matrix
--evidence        write docs/evidence from what all shards and mutants have shown
"""

import argparse
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.faults import report
from tests.faults.bench import Bench, bench
from tests.faults.case import Case
from tests.faults.matrix import cases
from tests.faults.mutants import MUTANTS, killed
from tests.faults.run import Run


def main() -> int:
    """The exit code: 1 where a case failed or a mutant lives."""
    given = _arguments()
    chosen = [case for case in cases() if re.search(given.only, case.id)]
    if given.list:
        print("\n".join(case.id for case in chosen))
        return 0
    if given.jobs > 1:
        return _side_by_side(given, len(chosen))
    code = 0
    # Ended by a signal, it still takes its servers along.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        if given.mutants:
            code = _mutants(Path(folder))
        elif not given.evidence:
            code = _shard(given, chosen, Path(folder))
    if given.evidence:
        code = _evidence()
    return code


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.faults")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutants", action="store_true")
    parser.add_argument("--evidence", action="store_true")
    return parser.parse_args()


def _side_by_side(given: argparse.Namespace, count: int) -> int:
    shards = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.faults",
                "--only",
                given.only,
                "--seed",
                str(given.seed),
                "--shard",
                f"{number}/{given.jobs}",
            ]
        )
        for number in range(1, given.jobs + 1)
    ]
    codes = [shard.wait() for shard in shards]
    print(f"faults: {count} cases, seed {given.seed}: {'passed' if not any(codes) else 'FAILED'}")
    return max(codes)


def _shard(given: argparse.Namespace, chosen: list[Case], folder: Path) -> int:
    number, of = (int(part) for part in given.shard.split("/"))
    # Any order must do; the seed gives this one again.
    random.Random(given.seed).shuffle(chosen)
    mine = chosen[number - 1 :: of]
    kept = report.Report(report.BUILD / f"shard-{number}-of-{of}.json", given.seed)
    todo = [case for case in mine if not kept.done(case.id)]
    print(f"faults: {len(mine)} cases in shard {given.shard}, {len(mine) - len(todo)} done before, seed {given.seed}", flush=True)
    if not todo:
        return 0
    failed = 0
    with bench(folder, {case.server for case in todo}) as shared:
        for place, case in enumerate(todo):
            since = time.monotonic()
            result = run_one(shared, case, f"t{place}", folder)
            result["seconds"] = round(time.monotonic() - since, 1)
            kept.add(case.id, result)
            failed += not result["ok"]
            print(
                f"{'ok  ' if result['ok'] else 'FAIL'} {result['seconds']:6.1f} s  {case.id}  {result.get('why', '')}", flush=True
            )
    return 1 if failed else 0


def run_one(shared: Bench, case: Case, prefix: str, folder: Path) -> dict[str, object]:
    """Run a case and say what it has shown; a failure is a result, too."""
    try:
        evidence = Run(shared, case, prefix, folder / f"points-{prefix}").run()
    except Exception as wrong:  # noqa: BLE001  # one case's trouble mustn't hide the others
        return {"ok": False, "why": f"{type(wrong).__name__}: {wrong}"[:2000], "failures": [], "firings": 0, "orphans": 0}
    requests = [str(line["request"])[:8] for line in evidence.firings[:4]]
    kinds = [failure.split(":")[0] for failure in evidence.failures]
    return {"ok": True, "failures": kinds, "firings": evidence.struck, "requests": requests, "orphans": evidence.orphans}


def _mutants(folder: Path) -> int:
    found: dict[str, object] = {}
    with bench(folder, {"versitygw"}) as shared:
        for name in MUTANTS:
            found[name] = killed(shared, name, folder)
            print(f"{'killed  ' if found[name] else 'SURVIVED'} {name}: {found[name]}", flush=True)
    report.BUILD.mkdir(parents=True, exist_ok=True)
    (report.BUILD / "mutants.json").write_text(json.dumps(found))
    return 0 if all(found.values()) else 1


def _evidence() -> int:
    whole = report.merge(sorted(report.BUILD.glob("shard-*.json")))
    everything = {case.id for case in cases()}
    missing = everything - set(whole["cases"])
    mutants = json.loads((report.BUILD / "mutants.json").read_text())
    report.write(whole, mutants, len(everything))
    print(
        f"faults: {len(whole['cases'])} cases and {len(mutants)} mutants in {report.EVIDENCE.relative_to(report.ROOT)}, {len(missing)} cases missing"
    )
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
