"""Credentials that expire: a door before an S3 server that knows which are still good, and a container's endpoint that hands them out."""

import http.client
import json
import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from typing_extensions import Self

Headers = Message
"""Of one request; names in any case."""
Answer = tuple[int, dict[str, str], bytes]

_EXPIRED = b"<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message><RequestId>R1</RequestId></Error>"


class Served:
    """An HTTP server on loopback, with a thread of its own."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.endpoint = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> "Self":
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._http.shutdown()
        self._http.server_close()


class Door(Served):
    """Answers ExpiredToken, as S3 does, to requests for whose headers `expired` is true; passes all others to `server` as they are.

    Without a server, those get an empty 200: enough where only the credentials matter.
    """

    def __init__(self, server: str | None, expired: Callable[[Headers], bool]) -> None:
        self.refused: list[tuple[str, str]] = []
        self._behind = urlsplit(server).netloc if server is not None else None
        self._expired = expired
        door = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _pass(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self._answer(*door.answer(self, body))

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

    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> Answer:
        """Status, headers and content."""
        if self._expired(request.headers):
            self.refused.append((request.command, request.path))
            return 400, {"Content-Type": "application/xml"}, _EXPIRED
        return self.passed(request, body)

    def passed(self, request: BaseHTTPRequestHandler, body: bytes) -> Answer:
        """What the server behind the door says."""
        return _forwarded(self._behind, request, body) if self._behind is not None else (200, {"ETag": '"0"'}, b"")


def _forwarded(behind: str, request: BaseHTTPRequestHandler, body: bytes) -> Answer:
    """The server's answer. The signature covers the host, which is the door's: so not even that is changed."""
    line = http.client.HTTPConnection(behind)
    line.putrequest(request.command, request.path, skip_host=True, skip_accept_encoding=True)
    for name, value in request.headers.items():
        if name.lower() != "expect":
            line.putheader(name, value)
    line.endheaders(body)
    answer = line.getresponse()
    content = answer.read()
    line.close()
    return answer.status, dict(answer.getheaders()), content


class ContainerCredentials(Served):
    """The endpoint that ECS and EKS give to a container: each answer has a token of its own, good for `seconds`."""

    def __init__(self, seconds: int) -> None:
        issued = self.issued = list[str]()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issued.append(f"token-{len(issued) + 1}")
                until = datetime.now(timezone.utc) + timedelta(seconds=seconds)
                given = {"AccessKeyId": "AKCONTAINER", "SecretAccessKey": "secret", "Token": issued[-1]}
                body = json.dumps({**given, "Expiration": f"{until:%Y-%m-%dT%H:%M:%SZ}"}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        super().__init__(Handler)
