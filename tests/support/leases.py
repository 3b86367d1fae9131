"""A door before AWS behind which sessions of a role last as long as a test says: STS's own answers, with another end."""

import re
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler

from tests.support.expiry import Answer, Door

_EVER = datetime.min.replace(tzinfo=timezone.utc)


class Leases(Door):
    """`issued` has each session's token and its end; `refused` what was asked with a token whose time was over: method and path."""

    def __init__(self, aws: str, seconds: float) -> None:
        self.issued: dict[str, datetime] = {}
        self._seconds = seconds
        self._revoking = False
        super().__init__(aws, lambda headers: self._is_over(headers.get("X-Amz-Security-Token", "")))

    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> Answer:
        """AssumeRole is asked for with the user's own keys, which never end."""
        if b"Action=AssumeRole" not in body:
            return super().answer(request, body)
        status, headers, content = self.passed(request, body)
        return status, headers, self._shortened(content.decode()).encode()

    def _shortened(self, answer: str) -> str:
        """STS's answer with a session that ends earlier."""
        until = datetime.now(timezone.utc) + timedelta(seconds=self._seconds)
        (token,) = re.findall("<SessionToken>(.*?)</SessionToken>", answer)
        self.issued[token] = _EVER if self._revoking else until
        self._revoking = False
        return re.sub("(?<=<Expiration>).*?(?=</Expiration>)", f"{until:%Y-%m-%dT%H:%M:%SZ}", answer)

    def _is_over(self, token: str) -> bool:
        """Whether a request with this token comes too late, or with none that was issued."""
        return datetime.now(timezone.utc) > self.issued.get(token, _EVER)

    def revoke(self) -> None:
        """All sessions that there are end now, and the next one before it is used, whatever is said of their end."""
        self.issued = dict.fromkeys(self.issued, _EVER)
        self._revoking = True
