"""How other stores differ from the server behind the proxy: one table of rules.

A rule sees each request before the server does, and each answer after it, and may put another answer in its place. Sources: Amazon S3's API
reference (Complete may be repeated; parts of at least 5 MiB), minio/minio#13318 (a repeated Complete is NoSuchUpload), Cloudflare R2's
multipart limits (parts of equal size but for the last).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.support.faultproxy.answers import Answer, error

MIB = 1 << 20
TELLING = 3
"""Of fewer parts none can be uneven: the last one may be shorter, and the one before it has none to differ from."""


@dataclass
class Memory:
    """What the proxy has seen of each upload: sizes of its parts, and the answer that completed it."""

    parts: dict[str, dict[int, int]] = field(default_factory=dict)
    completed: dict[str, Answer] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """The facts of a request that rules go by."""

    call: str
    upload_id: str = ""
    number: int = 0
    conditional: bool = False
    body: bytes = b""


Before = Callable[[Request, Memory], "Answer | None"]


def remember(request: Request, answer: Answer, memory: Memory) -> None:
    """Note what the server has accepted."""
    if answer.status != 200:
        return
    if request.call == "UploadPart":
        memory.parts.setdefault(request.upload_id, {})[request.number] = len(request.body)
    elif request.call == "CompleteMultipartUpload" and b"<Error>" not in answer.body:
        memory.completed.setdefault(request.upload_id, answer)


def sizes_of(request: Request, memory: Memory) -> list[int]:
    """Sizes of the parts that a Complete names, in order; none of any other call."""
    if request.call != "CompleteMultipartUpload":
        return []
    known = memory.parts.get(request.upload_id, {})
    return [known.get(int(number), 0) for number in re.findall(rb"<PartNumber>(\d+)</PartNumber>", request.body)]


def repeatable(request: Request, memory: Memory) -> Answer | None:
    """A Complete that has succeeded succeeds again."""
    return memory.completed.get(request.upload_id) if request.call == "CompleteMultipartUpload" else None


def once(request: Request, memory: Memory) -> Answer | None:
    """A Complete that has succeeded is forgotten with its upload."""
    done = request.call == "CompleteMultipartUpload" and request.upload_id in memory.completed
    return error(404, "NoSuchUpload") if done else None


def equal_parts(request: Request, memory: Memory) -> Answer | None:
    """All parts but the last have one size, and the last isn't larger."""
    sizes = sizes_of(request, memory)
    uneven = len(set(sizes[:-1])) > 1 or sizes[-1:] > sizes[:1]
    return error(400, "InvalidPart", "all non-trailing parts must have the same length") if uneven else None


def minimum(size: int) -> Before:
    """No part but the last is smaller than `size` bytes."""

    def rule(request: Request, memory: Memory) -> Answer | None:
        sizes = sizes_of(request, memory)
        return error(400, "EntityTooSmall") if any(each < size for each in sizes[:-1]) else None

    return rule


def at_most(parts: int) -> Before:
    """No part has a number above `parts`."""

    def rule(request: Request, memory: Memory) -> Answer | None:
        del memory
        too_many = request.call == "UploadPart" and request.number > parts
        return error(400, "InvalidArgument", f"Part number must be an integer between 1 and {parts}") if too_many else None

    return rule


def unconditional(request: Request, memory: Memory) -> Answer | None:
    """`If-None-Match` isn't implemented."""
    del memory
    return error(501, "NotImplemented") if request.conditional else None


FLAVOURS: dict[str, tuple[Before, ...]] = {
    "aws": (repeatable, minimum(5 * MIB)),
    "r2": (once, equal_parts, minimum(5 * MIB)),
    "minio": (once,),
    "unconditional": (once, unconditional),
    "minimum-8mib": (minimum(8 * MIB),),
    "one-part": (at_most(1),),
}
"""`minimum-8mib` and `one-part` refuse what the tests' settings make: the job must fail, and say what to change."""
