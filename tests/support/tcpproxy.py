"""A line between client and server that breaks: toxiproxy, as a child process of the tests."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

from tests.support.ports import free_ports, listens
from tests.support.process import ServerFailed, ServerProcess
from tests.support.running import Running

ROOT = Path(__file__).resolve().parents[2]
TOXIPROXY = ROOT / "build" / "bin" / "toxiproxy-v2.5.0"
UPSTREAM, DOWNSTREAM = "upstream", "downstream"
"""Towards the server, and back."""
READY_SECONDS = 60.0
_ANSWER_SECONDS = 30


@dataclass(frozen=True)
class Toxic:
    """What befalls every connection, new or open: one of toxiproxy's toxics, on one of the two streams."""

    kind: str
    stream: str
    attributes: Mapping[str, int]


class Line:
    """From `endpoint` to the server behind it; one that the proxy of `api` has already, or will have by `open`."""

    def __init__(self, api: str, name: str, port: int = 0) -> None:
        self.port = port
        self.endpoint = f"http://127.0.0.1:{port}"
        self._api, self._name = api, name

    def open(self, upstream: str) -> "Line":
        """To the HTTP server `upstream`."""
        behind = upstream.removeprefix("http://")
        _ask("POST", f"{self._api}/proxies", {"name": self._name, "listen": f"127.0.0.1:{self.port}", "upstream": behind})
        return self

    def spoil(self, toxic: Toxic) -> None:
        """Until `heal`."""
        given = {"name": "toxic", "type": toxic.kind, "stream": toxic.stream, "attributes": dict(toxic.attributes)}
        _ask("POST", f"{self._api}/proxies/{self._name}/toxics", given)

    def heal(self) -> None:
        """Connections that were broken stay broken, all others are well again."""
        _ask("DELETE", f"{self._api}/proxies/{self._name}/toxics/toxic")

    def ended(self) -> int:
        """Bytes of streams that have ended, in and out, both ways: toxiproxy counts at the end, so more than before means that one has."""
        counted = rf'toxiproxy_proxy_\w+_bytes_total{{[^}}]*proxy="{self._name}"[^}}]*}} (\S+)'
        return round(sum(map(float, re.findall(counted, _ask("GET", f"{self._api}/metrics")))))


class TcpProxy(Running):
    """The process, and the lines that go through it."""

    def __init__(self, folder: Path) -> None:
        if not TOXIPROXY.exists():
            raise ServerFailed(f"no {TOXIPROXY.relative_to(ROOT)}: make build/bin/{TOXIPROXY.name}")
        folder.mkdir(parents=True, exist_ok=True)
        (self._port,) = free_ports(1)
        self.api = f"http://127.0.0.1:{self._port}"
        command = [str(TOXIPROXY), "-host=127.0.0.1", f"-port={self._port}", "-proxy-metrics"]
        self._process = ServerProcess("toxiproxy", command, folder, {"PATH": os.environ.get("PATH", "")})

    def line(self, name: str, upstream: str) -> Line:
        """A new one, to the HTTP server `upstream`."""
        (port,) = free_ports(1)
        return Line(self.api, name, port).open(upstream)

    def start(self) -> None:
        self._process.start()
        self._process.wait_ready(lambda: listens(self._port), READY_SECONDS)

    def stop(self) -> None:
        self._process.stop()


def _ask(method: str, url: str, content: object = None) -> str:
    body = None if content is None else json.dumps(content).encode()
    with urlopen(Request(url, body, {"Content-Type": "application/json"}, method=method), timeout=_ANSWER_SECONDS) as answer:
        return str(answer.read().decode())
