"""A real writer process with a real JVM beside it: py4j gateway in Java, data socket in Python."""

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.support.jvm import Heard, Shim, text
from tests.support.servers import S3Server
from tests.support.writers import SCHEMA, start_message

TOKEN = "5e" * 32
SOURCE = Path(__file__).with_name("GatewayPeer.java")


def _py4j_jar() -> Path:
    (jar,) = Path(sys.prefix, "share", "py4j").glob("py4j*.jar")
    return jar


class Peer:
    """The JVM with the gateway. Its calls go into `heard`, for whichever writer is running."""

    def __init__(self) -> None:
        java = shutil.which("java")
        assert java is not None, "these tests need a JDK 17 or newer on PATH"
        command = [java, "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", str(_py4j_jar()), str(SOURCE.resolve())]
        self._folder = tempfile.TemporaryDirectory(prefix="pb-peer-")
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self._folder.name)
        assert self._process.stdin is not None
        self._process.stdin.write(TOKEN + "\n")
        self._process.stdin.flush()
        self.heard = Heard()
        name, arguments = self._line()
        assert name == "port", "the gateway says its port first"
        self.port = int(arguments[0])
        threading.Thread(target=self._listen, daemon=True).start()

    def _line(self) -> tuple[str, list[Any]]:
        assert self._process.stdout is not None
        name, *arguments = self._process.stdout.readline().split() or [""]
        return name, [_argument(argument) for argument in arguments]

    def _listen(self) -> None:
        while (line := self._line())[0]:
            heard = self.heard
            with heard.changed:
                heard.calls.append((line[0], *line[1]))
                heard.changed.notify_all()

    def configure_keys(self, **keys: str | None) -> None:
        """What the control call `credentials` gives from now on."""
        Path(self._folder.name, "credentials.json").write_text(json.dumps(keys))

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()


def _argument(word: str) -> Any:
    value = base64.b64decode(word[1:]).decode()
    if word[0] == "n":
        return int(value)
    return json.loads(value) if value.startswith("{") else value


class WriterChild:
    """`python -m partition_bridge.writer`, started as the shim does: an allow-listed environment and one line of JSON."""

    def __init__(
        self,
        peer: Peer,
        server: S3Server | None,
        stderr: Path,
        program: Sequence[str] = ("-m", "partition_bridge.writer"),
        gateway_port: int | None = None,
        **changes: Any,
    ) -> None:
        peer.heard = Heard()
        self.heard = peer.heard
        self._folder = tempfile.TemporaryDirectory(prefix="pb-")
        address = str(Path(self._folder.name) / "s")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(address)
        listener.listen(1)
        listener.settimeout(60)
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
        self._log = stderr
        with stderr.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, *program], stdin=subprocess.PIPE, stdout=log, stderr=log, env=environment
            )
        message = start_message(socket=address, gateway_port=gateway_port or peer.port, token=TOKEN, **changes)
        if server is not None:
            message["store"] |= {"endpoint": server.endpoint, "access_key": server.access_key, "secret_key": server.secret_key}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        line, _ = listener.accept()
        listener.close()
        greeting = text(TOKEN)
        assert line.recv(len(greeting), socket.MSG_WAITALL) == greeting, "the writer shows the token first"
        self.shim = Shim(line, SCHEMA, self.heard)

    def stderr(self) -> str:
        return self._log.read_text(errors="replace")

    def __enter__(self) -> "WriterChild":
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdin is not None
        self.process.stdin.close()
        self._folder.cleanup()
