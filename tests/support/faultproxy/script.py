"""What the proxy is told, as values: shared by the tests and by the proxy's own process, so it needs nothing but Python."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass

FOR_EVER = 1_000_000

CALLS = (
    "HeadBucket",
    "CreateMultipartUpload",
    "UploadPart",
    "CompleteMultipartUpload",
    "AbortMultipartUpload",
    "PutObject",
    "HeadObject",
)


@dataclass(frozen=True)
class Rule:
    """The calls `nth` to `nth + times - 1` of kind `call` get `outcome`: before the server has seen them, or after it has done them.

    With `same` only calls for the same upload or object are counted together: the second one is then a repetition of the first.
    """

    call: str
    outcome: str
    side: str
    times: int = 1
    nth: int = 1
    same: bool = False

    def strikes(self, call: str, count: int, of_same: int) -> bool:
        """Whether it is meant for call number `count` of kind `call`, which is number `of_same` for its upload or object."""
        return call == self.call and self.nth <= (of_same if self.same else count) < self.nth + self.times


@dataclass(frozen=True)
class Script:
    """One case's rules, and the store whose ways the server is to take on meanwhile (`flavours`)."""

    case: str
    rules: tuple[Rule, ...] = ()
    flavour: str = ""

    def dumps(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def loads(cls, text: str) -> Script:
        raw = json.loads(text)
        return cls(raw["case"], tuple(Rule(**rule) for rule in raw["rules"]), raw["flavour"])


def call_of(method: str, path: str, query: dict[str, str]) -> str:
    """The S3 operation of a path-style request, or "" for one that no rule can name."""
    key = path.lstrip("/").partition("/")[2]
    if not key:
        return "HeadBucket" if method == "HEAD" else ""
    if "uploadId" in query:
        names = {"PUT": "UploadPart", "POST": "CompleteMultipartUpload", "DELETE": "AbortMultipartUpload"}
        return names.get(method, "")
    if "uploads" in query:
        return "CreateMultipartUpload" if method == "POST" else ""
    return {"PUT": "PutObject", "HEAD": "HeadObject"}.get(method, "")
