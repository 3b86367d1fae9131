"""AWS on loopback: moto's S3 and STS, which keep what S3-compatible servers ignore, behind a recorder of every request."""

import json
import os
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests.support.certificates import certified
from tests.support.expiry import Answer, Door, Headers, Served
from tests.support.ports import free_ports
from tests.support.process import ServerProcess
from tests.support.servers import S3Server, binary


class Aws(S3Server):
    """`moto_server`. It knows any credentials and keeps encryption, storage class and ACL of an object."""

    def _server(self) -> ServerProcess:
        (port,) = free_ports(1)
        self.endpoint = f"http://127.0.0.1:{port}"
        program = binary("moto_server", "install requirements/dev-py*.txt")
        return ServerProcess("moto", [program, "-H", "127.0.0.1", "-p", str(port)], self.folder, {"PATH": os.environ["PATH"]})


class Recorder(Door):
    """A door that lets everything through and keeps the headers of each request, their names in lower case."""

    def __init__(self, server: str | None) -> None:
        self.requests: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        super().__init__(server, self._keep)

    def signers(self) -> list[str]:
        """The access key that each request was signed with; "" where it wasn't, by version 4."""
        return [each.get("authorization", "").partition("Credential=")[2].partition("/")[0] for each in self.requests]

    def _keep(self, headers: Headers) -> bool:
        self.requests.append({name.lower(): value for name, value in headers.items()})
        return False

    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> Answer:
        self.bodies.append(body)
        return super().answer(request, body)

    def under_tls(self, folder: Path) -> Path:
        """From now on by HTTPS, with a certificate that only the file that is given back vouches for."""
        context, certificate = certified(folder)
        self._http.socket = context.wrap_socket(self._http.socket, server_side=True)
        self.endpoint = self.endpoint.replace("http://", "https://")
        return certificate


class Tunnels(Served):
    """A proxy for HTTPS that opens no tunnel, and keeps which hosts it was asked for."""

    def __init__(self) -> None:
        asked = self.asked = list[str]()

        class Handler(BaseHTTPRequestHandler):
            def do_CONNECT(self) -> None:
                asked.append(self.path)
                self.send_error(403)

            def log_message(self, *_: object) -> None: ...

        super().__init__(Handler)


class InstanceMetadata(Served):
    """What an EC2 instance asks about itself (IMDS version 2): its zone, and the keys of its role."""

    def __init__(self, zone: str, access_key: str) -> None:
        until = f"{datetime.now(timezone.utc) + timedelta(hours=6):%Y-%m-%dT%H:%M:%SZ}"
        role = {"Code": "Success", "AccessKeyId": access_key, "SecretAccessKey": "secret", "Token": "token", "Expiration": until}
        base = "/latest/meta-data/"
        answers = {
            f"{base}placement/availability-zone": zone,
            f"{base}iam/security-credentials": "lake-role",
            f"{base}iam/security-credentials/lake-role": json.dumps(role),
        }

        class Handler(BaseHTTPRequestHandler):
            def _say(self, text: str | None) -> None:
                body = (text or "").encode()
                self.send_response(404 if text is None else 200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_PUT(self) -> None:
                self._say("session" if self.path == "/latest/api/token" else None)

            def do_GET(self) -> None:
                known = self.headers.get("x-aws-ec2-metadata-token") == "session"
                self._say(answers.get(self.path.rstrip("/")) if known else None)

            def log_message(self, *_: object) -> None: ...

        super().__init__(Handler)
