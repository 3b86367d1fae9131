"""A door before AWS behind which sessions of a role last as long as a test says: STS's own answers, with another end."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from tests.support.expiry import EXPIRED, Served, forwarded

_EVER = datetime.min.replace(tzinfo=timezone.utc)


class Leases(Served):
    """`issued` has each session's token and its end; `refused` what was asked with a token whose time was over: method and path."""

    def __init__(self, aws: str, seconds: float) -> None:
        self.issued: dict[str, datetime] = {}
        self.refused: list[tuple[str, str]] = []
        self._seconds = seconds
        self._revoking = False
        leases, behind = self, urlsplit(aws).netloc

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _pass(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if b"Action=AssumeRole" in body:
                    status, headers, content = forwarded(behind, self, body)
                    self._answer(status, headers, leases.shortened(content.decode()).encode())
                elif leases.is_over(self.headers.get("X-Amz-Security-Token", "")):
                    leases.refused.append((self.command, self.path))
                    self._answer(400, {"Content-Type": "application/xml"}, EXPIRED)
                else:
                    self._answer(*forwarded(behind, self, body))

            def _answer(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
                self.send_response_only(status)
                for name, value in headers.items():
                    if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                        self.send_header(name, value)
                told = headers.get("Content-Length") if self.command == "HEAD" and status < 300 else str(len(content))
                self.send_header("Content-Length", told or "0")
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _pass  # noqa: N815  # http.server's names

            def log_message(self, *_: object) -> None: ...

        super().__init__(Handler)

    def shortened(self, answer: str) -> str:
        """STS's answer with a session that ends earlier."""
        until = datetime.now(timezone.utc) + timedelta(seconds=self._seconds)
        (token,) = re.findall("<SessionToken>(.*?)</SessionToken>", answer)
        self.issued[token] = _EVER if self._revoking else until
        self._revoking = False
        return re.sub("(?<=<Expiration>).*?(?=</Expiration>)", f"{until:%Y-%m-%dT%H:%M:%SZ}", answer)

    def is_over(self, token: str) -> bool:
        """Whether a request with this token comes too late, or with none that was issued."""
        return datetime.now(timezone.utc) > self.issued.get(token, _EVER)

    def revoke(self) -> None:
        """All sessions that there are end now, and the next one before it is used, whatever is said of their end."""
        self.issued = dict.fromkeys(self.issued, _EVER)
        self._revoking = True
