"""The harness can fail: named ways of getting the product wrong, each of which some case must notice.

A mutant is put into the writer's process before it starts (`tests.faults.launch`). `cases` are patterns of ids; the first case that fails kills it.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from partition_bridge.audit import AuditFailed
from tests.faults.bench import Bench
from tests.faults.matrix import cases
from tests.faults.mutants import committing, ending, state, store
from tests.faults.run import Run


@dataclass(frozen=True)
class Mutant:
    """`apply` changes the product in this process."""

    apply: Callable[[], None]
    cases: tuple[str, ...]


MUTANTS: dict[str, Mutant] = {
    "no-read-back": Mutant(committing.no_read_back, ("commit/CompleteMultipartUpload:503.inf:before",)),
    "size-only-read-back": Mutant(committing.size_only, ("restore/foreign",)),
    "no-tail": Mutant(committing.no_tail, ("commit/PutObject:reset.2:before", "commit/shutdown")),
    "tail-of-an-open-file-not-sent": Mutant(committing.open_tail_unsent, ("restore/open-json/restore-after-complete:kill",)),
    "tail-of-an-open-file-not-kept": Mutant(state.open_tail_lost, ("restore/open-json/restore-after-complete:kill",)),
    "completed-before-the-checkpoint": Mutant(committing.before_checkpoint, ("commit/declined",)),
    "no-such-upload-is-success": Mutant(committing.no_such_upload_is_success, ("commit/forgotten", "restore/forgotten")),
    "abort-on-close": Mutant(ending.abort_on_close, ("commit/shutdown",)),
    "abort-on-error": Mutant(
        ending.abort_on_error, ("commit/CompleteMultipartUpload:forbidden", "commit/commit-before-complete:raise")
    ),
    "trailing-bytes-accepted": Mutant(state.trailing_bytes, ("restore/trailing-bytes",)),
    "foreign-object-overwritten": Mutant(committing.overwrites, ("restore/foreign",)),
    "commit-not-awaited": Mutant(
        committing.commit_not_awaited, ("commit/CompleteMultipartUpload:slow", "commit/CompleteMultipartUpload:503.inf")
    ),
    "part-errors-ignored": Mutant(store.part_errors_ignored, ("write/UploadPart:503.inf:before",)),
    "commit-errors-ignored": Mutant(committing.commit_errors_ignored, ("commit/CompleteMultipartUpload:forbidden",)),
    "parts-not-awaited": Mutant(state.parts_not_awaited, ("write/UploadPart:slow",)),
    "restores-only-the-first": Mutant(
        state.restores_the_first, ("restore/PutObject:reset.2:before", "restore/unconditional/nothing")
    ),
    "skips-missing-uploads": Mutant(state.skips_missing, ("restore/forgotten",)),
    "older-pending-ignored": Mutant(committing.older_ignored, ("commit/late-notify",)),
    "publishes-on-failure": Mutant(ending.publishes_on_exit, ("write/barrier-before-ready:raise",)),
    "no-token": Mutant(store.no_token, ("commit/CompleteMultipartUpload:no-such-upload.1:after",)),
    "any-200-is-a-yes": Mutant(store.no_proof, ("commit/CompleteMultipartUpload:200-html.1:before", "commit/PutObject:200-html")),
    "repeated-yes-trusted": Mutant(
        committing.repeated_yes_trusted, ("commit/CompleteMultipartUpload:pretended", "commit/PutObject:pretended")
    ),
    "part-cut-short": Mutant(store.part_cut_short, ("commit/shutdown",)),
    "uneven-parts": Mutant(store.uneven_parts, ("commit/r2/3-parts", "restore/r2/3-parts")),
    "credentials-not-refreshed": Mutant(
        store.not_refreshed, ("write/UploadPart:expired-token.3", "commit/CompleteMultipartUpload:expired-token.3")
    ),
    "thread-errors-swallowed": Mutant(ending.silent_death, ("write/UploadPart:forbidden",)),
}


def killed(shared: Bench, name: str, folder: Path) -> dict[str, str] | None:
    """The case that failed with the mutant, and as what; None where all of its cases passed."""
    for number, pattern in enumerate(MUTANTS[name].cases):
        for case in cases():
            if case.server not in shared.lakes or not re.match(pattern, case.id):
                continue
            prefix = f"{name}-{number}-{cases().index(case)}"
            try:
                Run(shared, case, prefix, folder / f"points-{prefix}", name).run()
            except (AssertionError, AuditFailed) as noticed:  # any other trouble is the harness's own
                _check_whole(name, shared.folder.glob(f"{prefix}.*.err"))
                return {"case": case.id, "why": f"{type(noticed).__name__}: {noticed}".splitlines()[0][:160]}
    return None


def _check_whole(name: str, logs: Iterable[Path]) -> None:
    """A mutant that falls over a change of the product proves nothing, though its case fails."""
    for log in logs:
        words = log.read_text(errors="replace")
        broken = "/mutants/" in words and re.search(
            "^(TypeError|AttributeError|NameError|ImportError|KeyError)", words, re.MULTILINE
        )
        assert not broken, f"the mutant {name} doesn't fit the product any more:\n{words[-1500:]}"
