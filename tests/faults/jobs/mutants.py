"""Ways to get the shim wrong, each of which a job test must notice: `python -m tests.faults.jobs.mutants [--only REGEX] [--evidence]`.

A mutant is a change of one place of the source. It's compiled into a jar of its own, with which the test runs; the test must fail.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.faults.report import BUILD, EVIDENCE, ROOT, commit, keep_at, kept_at, write_whole
from tests.support.flink import SHIM
from tests.support.shim_source import built_jar, copy_shim, edited, maven

MAIN = "src/main/java/io/partitionbridge/"
FOUND = BUILD / "jobs" / "mutants.json"
SAID = {True: "killed", False: "**survived**", None: "not run"}
NO_TEST_FAILED, A_TEST_FAILED = 0, 1  # pytest's exit codes; any other is trouble of the harness


@dataclass(frozen=True)
class Mutant:
    """In `file` the words `before` become `after`; the test `killer` must notice."""

    file: str
    before: str
    after: str
    killer: str


REPORT = "report(checkpointId, checkpointed.reportVisible(), false, List.of());"

MUTANTS = {
    "no-empty-announcement": Mutant(
        "writer/BridgeFileWriter.java",
        REPORT,
        "String[] visible = checkpointed.reportVisible(); if (visible.length > 0) {"
        " report(checkpointId, visible, false, List.of()); }",
        "tests/integration/test_event_time.py::test_an_idle_source",
    ),
    "announced-before-it-is-visible": Mutant(
        "writer/BridgeFileWriter.java",
        "        commit(checkpointId);\n        lastCompleted = checkpointId;",
        "        report(checkpointId, checkpointed.reportAll(), false, List.of());\n"
        "        commit(checkpointId);\n        lastCompleted = checkpointId;",
        "tests/integration/test_restarts.py::test_writer_killed_with_pending_files",
    ),
    "names-reused": Mutant(
        "writer/PartFileNames.java",
        "        random.nextBytes(bytes);\n        ByteBuffer uuid",
        "        ByteBuffer uuid",
        "tests/integration/test_kills.py::test_twenty_kills",
    ),
    "late-notification-dropped": Mutant(
        "writer/TrackedFile.java",
        "isNamed() && checkpoint <= completed",
        "isNamed() && checkpoint == completed",
        "tests/integration/test_checkpoints.py::test_a_checkpoint_that_times_out_is_made_up_for",
    ),
    "partition-dropped-at-restore": Mutant(
        "writer/BridgeFileWriter.java",
        ".forEach(checkpointed::restored);",
        ".forEach(entry -> {});",
        "tests/hazards/test_state.py::test_h02_a_file_open_at_a_restore_is_announced_when_due[filesystem-bridge]",
    ),
    "pending-not-completed-at-restore": Mutant(
        "writer/RestoredCheckpoint.java",
        "entries.stream().filter(FileEntry::isPending).toList();",
        "entries.stream().filter(entry -> false).toList();",
        "tests/integration/test_restarts.py::test_writer_killed_with_pending_files",
    ),
    "promised-files-not-awaited": Mutant(
        "committer/BridgePartitionCommitter.java",
        "                .await(due.stream()",
        "                .await(due.stream().limit(0)",
        "tests/integration/test_final_checkpoint.py::test_a_final_checkpoint_is_restored",
    ),
    "open-past-the-watermark": Mutant(
        "writer/SealRule.java",
        "return committable != null",
        "return committable == null",
        "tests/integration/test_event_time.py::test_an_open_file_whose_day_is_over",
    ),
    "open-in-a-savepoint": Mutant(
        "writer/BridgeFileWriter.java",
        "boolean all = savepoint || idleHeldBack;",
        "boolean all = idleHeldBack;",
        "tests/integration/test_restores.py::test_a_checkpoint_whose_open_file_has_grown",
    ),
    "idle-with-open-files": Mutant(
        "writer/BridgeFileWriter.java",
        "status.isIdle() && mode != CheckpointMode.NONE",
        "status.isActive() && mode == CheckpointMode.NONE",
        "tests/integration/test_event_time.py::test_an_idle_writer_with_an_open_file",
    ),
    "paths-of-the-last-files-without-their-bucket": Mutant(
        "writer/TableLocation.java",
        'return scheme + "://" + bucket + "/" + key;',
        "return key;",
        "tests/integration/test_seaweedfs.py::test_checkpoint_interval_longer_than_the_job",
    ),
}


def found() -> dict[str, bool]:
    """Which of the mutants that were tried at this commit were noticed."""
    known: dict[str, bool] = kept_at(commit(), FOUND).get("mutants", {})
    return known


@contextmanager
def mutated_jar(name: str) -> Iterator[Path]:
    """The shim with the mutant. Raises where the mutant doesn't fit the source any more, or doesn't compile."""
    mutant = MUTANTS[name]
    folder = BUILD / "jobs" / "mutants" / name
    copy_shim(folder)
    source = folder / MAIN / mutant.file
    source.write_text(edited(source.read_text(), mutant.before, mutant.after))
    maven(folder, "-Dmaven.test.skip=true", "package")
    yield built_jar(folder)
    shutil.rmtree(folder)


def killed(name: str) -> bool:
    """Whether the test fails with the mutant."""
    test = [sys.executable, "-m", "pytest", "--quiet", "--no-header", "--tb=line", MUTANTS[name].killer]
    with mutated_jar(name) as jar:
        done = subprocess.run(test, cwd=ROOT, env={**os.environ, SHIM: str(jar)}, capture_output=True, text=True, check=False)
    ran = done.returncode in (NO_TEST_FAILED, A_TEST_FAILED) and not re.search(r"\b\d+ errors?\b", done.stdout)
    assert ran, f"{name}: pytest, or a fixture, couldn't run:\n{done.stdout[-3000:]}"
    return done.returncode == A_TEST_FAILED


def write(known: dict[str, bool]) -> None:
    """docs/evidence/faults-shim-mutants.md."""
    page = [
        "# Faults, mutants of the shim: what a run has shown",
        "",
        f"`python -m tests.faults.jobs.mutants --evidence` at commit {commit()}: {sum(known.values())} of {len(MUTANTS)} were noticed,",
        "each by the job test that is named.",
        "",
        "| mutant | test | |",
        "| --- | --- | --- |",
        *[f"| {name} | `{each.killer}` | {SAID[known.get(name)]} |" for name, each in MUTANTS.items()],
    ]
    write_whole(EVIDENCE / "faults-shim-mutants.md", "\n".join(page) + "\n")


def main() -> int:
    """Run those chosen that aren't known to be noticed; 1 where one lives."""
    parser = argparse.ArgumentParser(prog="tests.faults.jobs.mutants")
    parser.add_argument("--only", default="")
    parser.add_argument("--evidence", action="store_true", help="write docs/evidence/faults-shim-mutants.md")
    given = parser.parse_args()
    known = found()
    for name in filter(re.compile(given.only).search, MUTANTS):
        if known.get(name):
            continue
        known[name] = killed(name)
        print(f"{'killed  ' if known[name] else 'SURVIVED'} {name}: {MUTANTS[name].killer}", flush=True)
        keep_at(commit(), FOUND, mutants=known)
    if given.evidence:
        write(known)
    return 0 if all(known.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
