"""The wrong answers: one table from an outcome's name to status, headers and body. Pure.

Outcomes that aren't answers (`reset`, `stall`, `slow`) are the addon's; `not-stored` and `wrong-etag` depend on the request and are made here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Answer:
    """An HTTP answer that no server gave."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def error(status: int, code: str, message: str = "scripted") -> Answer:
    """S3's form of an error."""
    body = f'<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code><Message>{message}</Message><RequestId>FAULT</RequestId></Error>'
    return Answer(status, body.encode(), {"content-type": "application/xml", "x-amz-request-id": "FAULT"})


_XML = {"content-type": "application/xml"}
_TRUNCATED = b'<?xml version="1.0" encoding="UTF-8"?>\n<CompleteMultipartUploadResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Locat'

ANSWERS: dict[str, Answer] = {
    "500": error(500, "InternalError"),
    "503": Answer(503, b"upstream connect error", {"content-type": "text/plain"}),
    "slow-down": error(503, "SlowDown"),
    "200-error": error(200, "InternalError"),
    "200-empty": Answer(200, b"", _XML),
    "200-truncated": Answer(200, _TRUNCATED, _XML),
    "200-html": Answer(200, b"<html><body><h1>Welcome</h1><p>Please sign in.</p></body></html>", {"content-type": "text/html"}),
    "expired-token": error(400, "ExpiredToken"),
    "clock-skew": error(403, "RequestTimeTooSkewed"),
    "forbidden": error(403, "AccessDenied"),
    "no-such-upload": error(404, "NoSuchUpload"),
    "not-found": error(404, "NoSuchKey"),
}


def not_stored(body: bytes) -> Answer:
    """A part's right ETag, of a part that no server has seen."""
    return Answer(200, b"", {"etag": f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'})


def pretended(body: bytes) -> Answer:
    """The right form of a yes to Complete or PUT, of which no server knows."""
    etag = f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}-1"'
    xml = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<CompleteMultipartUploadResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        f"<ETag>{etag}</ETag></CompleteMultipartUploadResult>"
    )
    return Answer(200, xml.encode(), {**_XML, "etag": etag})


MADE: dict[str, Callable[[bytes], Answer]] = {"not-stored": not_stored, "pretended": pretended}
WRONG_ETAG = '"00000000000000000000000000000bad"'
