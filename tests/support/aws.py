"""AWS on loopback: moto's S3 and STS, which keep what S3-compatible servers ignore, behind a recorder of every request."""

import os

from tests.support.expiry import Door, Headers
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
        super().__init__(server, self._keep)

    def _keep(self, headers: Headers) -> bool:
        self.requests.append({name.lower(): value for name, value in headers.items()})
        return False
