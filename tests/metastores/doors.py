"""Small servers that a metastore's client meets: one that refuses, one that answers in another tongue, one that speaks TLS."""

import json
import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from tests.support.certificates import certified
from tests.support.expiry import Served

if TYPE_CHECKING:
    from typing_extensions import Self


class Refusing(Served):
    """An AWS service that answers every call by one error, and keeps who signed it."""

    def __init__(self, status: int, code: str) -> None:
        signers = self.signers = list[str]()
        body = json.dumps({"__type": code, "Message": "refused"}).encode()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                signers.append(self.headers["Authorization"].partition("Credential=")[2].partition("/")[0])
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(status)
                self.send_header("Content-Type", "application/x-amz-json-1.1")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        super().__init__(Handler)


class _Door:
    """A port whose connections are handled by a thread each, which ends with its client."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._handle, args=(connection,), daemon=True).start()

    def _handle(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            self.handle(connection)

    def handle(self, connection: socket.socket) -> None:
        raise NotImplementedError

    def __enter__(self) -> "Self":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        # shutdown() wakes accept(), which close() alone doesn't.
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()


class Answering(_Door):
    """Says always the same to whatever begins with `to`, and else closes."""

    def __init__(self, answer: bytes, to: bytes = b"") -> None:
        super().__init__()
        self._answer, self._to = answer, to

    def handle(self, connection: socket.socket) -> None:
        if connection.recv(64).startswith(self._to):
            connection.sendall(self._answer)


class TlsDoor(_Door):
    """Speaks TLS, with a certificate that only a file vouches for, and passes on what is said to a port behind it."""

    def __init__(self, behind: int, folder: Path) -> None:
        super().__init__()
        self._behind = behind
        self._context, self.certificate = certified(folder)

    def handle(self, connection: socket.socket) -> None:
        with (
            self._context.wrap_socket(connection, server_side=True) as client,
            socket.create_connection(("127.0.0.1", self._behind)) as server,
        ):
            back = threading.Thread(target=_pass, args=(server, client), daemon=True)
            back.start()
            _pass(client, server)
            server.shutdown(socket.SHUT_RDWR)
            back.join()


def _pass(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
