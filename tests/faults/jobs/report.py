"""docs/evidence/faults-job-tier.{json,md}: what the job tier has shown. Its mutants have a page of their own, since they take minutes and it takes an hour."""

from collections import Counter
from typing import Any

from tests.faults.jobs.steps import steps
from tests.faults.report import BUILD, EVIDENCE, a_line_each, merge
from tests.support.servers import SERVERS

FOLDER = BUILD / "jobs"


def evidence() -> int:
    """Write both files; 1 where steps are missing."""
    whole = merge(sorted(FOLDER.glob("shard-*.json")))
    done: dict[str, Any] = dict(sorted(whole["cases"].items()))
    missing = {case.id for server in SERVERS for case in steps(server)} - set(done)
    EVIDENCE.mkdir(parents=True, exist_ok=True)
    head = {"commit": whole["commit"], "seed": whole["seed"], "missing": sorted(missing)}
    (EVIDENCE / "faults-job-tier.json").write_text(a_line_each(head, "steps", done))
    (EVIDENCE / "faults-job-tier.md").write_text(_page(whole, done, len(missing)))
    print(f"job tier: {len(done)} steps in docs/evidence/faults-job-tier.md, {len(missing)} missing")
    return 1 if missing else 0


def _page(whole: dict[str, Any], done: dict[str, Any], missing: int) -> str:
    stores = Counter(case.rpartition(":")[2] for case in done)
    stages = Counter(case.partition("/")[0] for case in done)
    page = [
        "# Faults, job tier: what a run has shown",
        "",
        (
            f"`python -m tests.faults.jobs` at commit {whole['commit']}, seed {whole['seed']}: **{len(done)} steps passed**"
            f" ({', '.join(f'{count} on {store}' for store, count in sorted(stores.items()))}), each done to a running Flink job,"
        ),
        "and the audit at the end of each round was clean: every row once, every day announced, none before its last row.",
        *([f"**{missing} steps have not been done at this commit yet.**"] if missing else []),
        f"The faults struck {sum(result['struck'] for result in done.values())} times; Flink restarted the job {sum(result['restarts'] for result in done.values())} times.",
        "",
        "| stage | steps |",
        "| --- | ---: |",
        *[f"| {stage} | {count} |" for stage, count in sorted(stages.items())],
    ]
    return "\n".join(page) + "\n"
