"""The matrix: which outcomes each call can have at each stage, and what must come of each. Generated, so that none is forgotten.

One line of OUTCOMES says what an outcome means wherever it strikes; STRIKES says at which stage a call is made. What the product makes of an
outcome is decided by two questions: does it go away, and had the call its effect?
"""

from collections.abc import Iterator

from tests.faults.case import UNHARMED, Blow, Case, Expect, Spell
from tests.faults.lines import GATEWAY, HARMLESS, SILENT, TOXICS
from tests.support.faultproxy import FOR_EVER, Rule
from tests.support.servers import SERVERS

STRIKES: dict[str, tuple[str, ...]] = {
    "HeadBucket": ("start",),
    "CreateMultipartUpload": ("write",),
    "UploadPart": ("write",),
    "CompleteMultipartUpload": ("commit", "restore"),
    "PutObject": ("commit", "restore"),
    "HeadObject": ("commit", "restore", "replay"),
    "AbortMultipartUpload": ("close",),
}

TRANSIENT = ("500", "503", "slow-down", "reset", "stall")
"""Gone after a while: the writer tries again. For ever: the job fails as "retry", and no sooner is the store well again than it recovers."""
UNREADABLE = ("200-error", "200-empty", "200-truncated", "200-html")
"""Says yes, and nothing that proves it."""
EXPIRED = "expired-token"
"""Refused before any effect until there are fresh credentials: the writer asks for them, and sends again."""
REFUSED = ("clock-skew", "forbidden")
"""Refused before any effect; somebody must set a clock or a permission."""

FINE = Expect(frozenset({UNHARMED}))


def _fails(*kinds: str, says: tuple[str, ...] = (), lost: bool = False) -> Expect:
    return Expect(frozenset(kinds), says, lost)


def cases() -> list[Case]:
    """All of them, on all servers, each with an id of its own."""
    found = [
        case.on(server)
        for case in (*_store(), *_special(), *_process(), *_deeds(), *_flavours(), *_lines(), *_open_files())
        for server in SERVERS
    ]
    ids = [case.id for case in found]
    assert len(ids) == len(set(ids)), sorted(each for each in ids if ids.count(each) > 1)
    return found


def _store() -> Iterator[Case]:
    """Call x outcome x times x side x stage."""
    for call, stages in STRIKES.items():
        for stage in stages:
            for side in ("before", "after"):
                for outcome in TRANSIENT:
                    yield _case(stage, Rule(call, outcome, side, 2), FINE)
                    if outcome != "stall":
                        yield _case(stage, Rule(call, outcome, side, FOR_EVER), _for_ever(call, side))
                for outcome in UNREADABLE:
                    if call == "HeadObject" and outcome != "200-empty":
                        continue  # A HEAD has no body to be wrong.
                    yield _case(stage, Rule(call, outcome, side, 1), _unreadable(call, outcome))
            yield _case(stage, Rule(call, EXPIRED, "before", 3), FINE)
            yield _case(stage, Rule(call, EXPIRED, "before", FOR_EVER), _for_ever(call, "before"))
            for outcome in REFUSED:
                yield _case(stage, Rule(call, outcome, "before", 1), _fails("configuration", says=("lake",)))
            yield _case(stage, Rule(call, "slow", "before", 1), FINE)


def _case(stage: str, rule: Rule, expect: Expect) -> Case:
    # A commit looks at the object only after an unclear answer.
    unclear = (Rule("CompleteMultipartUpload", "no-such-upload", "after"),)
    asked = rule.call == "HeadObject" and stage == "commit"
    return Case("", stage, expect, (*unclear, rule) if asked else (rule,))


def _for_ever(call: str, side: str) -> Expect:
    if call == "HeadObject":
        return _fails("unknown-outcome", says=("a restart looks again",))
    if call in ("CompleteMultipartUpload", "PutObject") and side == "after":
        return FINE  # Done, though no answer says so: the object itself does.
    if call == "HeadBucket":
        return _fails("retry", says=("lake",))
    return _fails("retry", says=("lake/",))


def _unreadable(call: str, outcome: str) -> Expect:
    if call == "HeadObject":
        return _fails("unknown-outcome")
    if call in ("CreateMultipartUpload", "UploadPart") and outcome in ("200-empty", "200-html"):
        return _fails("retry", says=("lake/", "no answer of an object store"))
    return FINE  # The client itself tries XML that it can't read again; a completion is read back.


def _special() -> Iterator[Case]:
    """Outcomes that only one call has."""
    yield _case("write", Rule("UploadPart", "503", "before", 2, nth=2), FINE)
    yield _case("write", Rule("UploadPart", "reset", "after", 1, nth=2), FINE)
    yield _case("write", Rule("UploadPart", "slow", "after", 2), FINE)
    for nth in (1, 2):
        yield _case("write", Rule("UploadPart", "not-stored", "before", 1, nth=nth), PART_GONE)
        yield _case("write", Rule("UploadPart", "wrong-etag", "after", 1, nth=nth), PART_GONE)
    for stage in ("commit", "restore"):
        complete = "CompleteMultipartUpload"
        yield _case(stage, Rule(complete, "no-such-upload", "after", 1), FINE)
        yield _case(stage, Rule(complete, "no-such-upload", "before", 1), FINE)
        # As by a store that was killed in the middle of the first one, and remembers that it had begun.
        for call in (complete, "PutObject"):
            lie = Rule(call, "pretended", "before", 1, nth=2, same=True)
            yield Case("", stage, FINE, (Rule(call, "reset", "before", 1), lie))
        missing = _fails("fail", says=("is gone", "checkpoint 1", "upload "))
        yield _case(stage, Rule(complete, "no-such-upload", "before", FOR_EVER), missing)
    yield _case("replay", Rule("HeadObject", "not-found", "before", 1), FINE)
    yield _case("commit", Rule("HeadObject", "not-found", "before", 1), FINE)


PART_GONE = _fails("fail", says=("part", "upload "), lost=True)
"""The state names a part that the store doesn't hold: nobody can complete that, so it must be said, at once and at each restart."""

POINTS = {
    "after-create": "write",
    "before-part": "write",
    "after-part": "write",
    "barrier-before-ready": "write",
    "after-ready": "write",
    "commit-before-complete": "commit",
    "commit-after-complete": "commit",
    "after-committed-call": "commit",
    "restore-before-complete": "restore",
    "restore-after-complete": "restore",
}
"""The writer's own fault points (`partition_bridge.faultpoint`)."""


OPEN_POINTS = ("restore-before-complete", "restore-tail-sent", "restore-after-complete")
"""Where a writer can end while it ends a restored file that was open at its checkpoint."""


def _process() -> Iterator[Case]:
    for point, stage in POINTS.items():
        yield Case("", stage, _fails("exit -9"), blow=Blow(point, "kill"))
        yield Case("", stage, _fails("exit 143"), blow=Blow(point, "term"))
        yield Case("", stage, _fails("fail", says=(point,)), blow=Blow(point, "raise"))
        yield Case("", stage, FINE, blow=Blow(point, "slow"))


def _deeds() -> Iterator[Case]:
    gone = _fails("fail", says=("is gone", "checkpoint 1", "upload ", "AbortIncompleteMultipartUpload"), lost=True)
    foreign = _fails("fail", says=("holds another object", "left as it is"), lost=True)
    for stage in ("commit", "restore"):
        yield Case("", stage, gone, deed="forgotten")
        yield Case("", stage, foreign, deed="foreign")
    yield Case("", "replay", gone, deed="deleted")
    yield Case("", "restore", _fails("fail", says=("state entry",)), deed="trailing-bytes")
    yield Case("", "restore", _fails("fail", says=("state entry",)), deed="cut-state")
    yield Case("", "commit", FINE, deed="shutdown")
    yield Case("", "commit", FINE, deed="declined")
    yield Case("", "commit", FINE, deed="late-notify")
    yield Case("", "restore", FINE, deed="late-notify")
    yield Case("", "commit", FINE, deed="zombie")


def _lines() -> Iterator[Case]:
    for toxic in TOXICS:
        for stage in ("write", "commit", "restore"):
            if toxic == "cut-body" and stage != "write":
                continue  # Nothing else is as long.
            yield Case("", stage, FINE, spell=Spell(toxic))
            if toxic in GATEWAY:
                # What has begun can't be told to the task: the writer ends, and the task fails of that.
                yield Case("", stage, _fails("exit 1", says=("control call",)), spell=Spell(toxic, True, "gateway"))
                yield Case("", stage, _fails("exit 1", "retry", UNHARMED), spell=Spell(toxic, False, "gateway"))
            if toxic not in HARMLESS | SILENT:
                yield Case("", stage, _fails("retry", "unknown-outcome"), spell=Spell(toxic, for_ever=True))


def _flavours() -> Iterator[Case]:
    complete = "CompleteMultipartUpload"
    unconditional = "unconditional"
    # Completions and PUTs run side by side; the first to be refused is the last to ask.
    conditional = (complete, "PutObject")
    for stage in ("commit", "restore"):
        lost = Rule(complete, "reset", "after", 1)
        for flavour in ("aws", "r2", "minio"):
            yield Case("", stage, FINE, (lost,), flavour=flavour, due=(complete,))
        for rule in (lost, Rule(complete, "503", "before", 2), Rule("PutObject", "reset", "after", 1)):
            yield Case("", stage, FINE, (rule,), flavour=unconditional, due=conditional)
        yield Case("", stage, FINE, flavour="r2", parts=3)
    for stage in ("commit", "restore", "replay"):
        yield Case("", stage, FINE, flavour=unconditional, due=conditional)
    small = _fails("fail", says=("too small", "sink.upload.part-size"), lost=True)
    yield Case("", "commit", small, flavour="minimum-8mib", due=(complete,))
    yield Case("", "write", _fails("fail", says=("Part number",), lost=True), flavour="one-part", due=("UploadPart",))


def _open_files() -> Iterator[Case]:
    """What a checkpoint has of a file that goes on is its parts and a tail, which the restore sends as one more part before it completes."""
    for rule, expect in _tails():
        yield Case("", "restore", expect, (rule,), open="parquet")
    for outcome, side in (("503", "before"), ("reset", "after")):
        yield Case("", "restore", FINE, (Rule("UploadPart", outcome, side, 2),), open="json")
    for format_ in ("parquet", "json"):
        for point in OPEN_POINTS:
            yield Case("", "restore", _fails("exit -9"), blow=Blow(point, "kill"), open=format_)
        yield Case("", "restore", _fails("exit 143"), blow=Blow("restore-tail-sent", "term"), open=format_)
        yield Case(
            "", "restore", _fails("fail", says=("restore-tail-sent",)), blow=Blow("restore-tail-sent", "raise"), open=format_
        )
        yield Case("", "restore", FINE, blow=Blow("restore-tail-sent", "slow"), open=format_)
    gone = _fails("fail", says=("is gone", "checkpoint 1", "upload "), lost=True)
    yield Case("", "restore", gone, deed="forgotten", open="parquet")
    yield Case("", "restore", _fails("fail", says=("holds another object",), lost=True), deed="foreign", open="parquet")
    yield Case("", "restore", FINE, flavour="r2", parts=3, open="parquet")


def _tails() -> Iterator[tuple[Rule, Expect]]:
    part, complete, for_ever = "UploadPart", "CompleteMultipartUpload", _fails("retry", says=("lake/",))
    for side in ("before", "after"):
        for outcome in TRANSIENT:
            yield Rule(part, outcome, side, 2), FINE
            if outcome != "stall":
                yield Rule(part, outcome, side, FOR_EVER), for_ever
        for outcome in UNREADABLE:
            yield Rule(part, outcome, side, 1), FINE  # The completion is tried as a whole, tail and all.
    yield Rule(part, EXPIRED, "before", 3), FINE
    yield Rule(part, EXPIRED, "before", FOR_EVER), for_ever
    for outcome in REFUSED:
        yield Rule(part, outcome, "before", 1), _fails("configuration", says=("lake",))
    yield Rule(part, "slow", "before", 1), FINE
    yield Rule(part, "no-such-upload", "before", 1), FINE
    # The entry doesn't name this part, so the next restart sends it again.
    yield Rule(part, "not-stored", "before", 1), _fails("fail", says=("part", "upload "))
    yield Rule(part, "wrong-etag", "after", 1), _fails("fail", says=("part", "upload "))
    yield Rule(complete, "reset", "after", 1), FINE
    yield Rule(complete, "503", "before", FOR_EVER), for_ever
