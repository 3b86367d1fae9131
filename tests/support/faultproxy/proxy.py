"""The proxy as a child process of the tests."""

import json
import os
from pathlib import Path
from typing import Any

from tests.support.faultproxy.script import Script
from tests.support.ports import free_ports, listens
from tests.support.process import ServerFailed, ServerProcess
from tests.support.running import Running

ROOT = Path(__file__).resolve().parents[3]
MITMDUMP = ROOT / "build" / "mitmproxy" / "bin" / "mitmdump"
READY_SECONDS = 60.0


class FaultProxy(Running):
    """In front of `upstream`; `endpoint` is where clients go. `folder` takes script, log and firings."""

    def __init__(self, upstream: str, folder: Path) -> None:
        if not MITMDUMP.exists():
            raise ServerFailed(f"no {MITMDUMP.relative_to(ROOT)}: make build/mitmproxy/.complete")
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._firings = folder / "firings.jsonl"
        self._firings.touch()
        self._repeats = folder / "repeats.jsonl"
        self._repeats.touch()
        (port,) = free_ports(1)
        self._port = port
        self.endpoint = f"http://127.0.0.1:{port}"
        command = [
            str(MITMDUMP),
            "--quiet",
            f"--mode=reverse:{upstream}",
            "--listen-host=127.0.0.1",
            f"--listen-port={port}",
            # The signature covers the Host header.
            "--set=keep_host_header=true",
            f"--set=confdir={folder / 'mitmproxy'}",
            f"--scripts={Path(__file__).with_name('addon.py')}",
        ]
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(folder),
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "FAULTPROXY_FOLDER": str(folder),
        }
        self._process = ServerProcess("mitmdump", command, folder, environment)

    def use(self, script: Script) -> None:
        """Put `script` in force for every request that comes from now on; its counts start at 1."""
        new = self._folder / "script.new"
        new.write_text(script.dumps())
        new.replace(self._folder / "script.json")

    def firings(self, case: str) -> list[dict[str, Any]]:
        """What struck in `case`, in order."""
        lines = [json.loads(line) for line in self._firings.read_text().splitlines()]
        return [line for line in lines if line["case"] == case]

    def repeats(self, case: str) -> int:
        """How many requests of `case` came that their client had sent before."""
        lines = [json.loads(line) for line in self._repeats.read_text().splitlines()]
        return sum(line["case"] == case for line in lines)

    def log(self) -> str:
        return self._process.tail()

    def start(self) -> None:
        self.use(Script("none"))
        self._process.start()
        self._process.wait_ready(lambda: listens(self._port), READY_SECONDS)

    def stop(self) -> None:
        self._process.stop()
