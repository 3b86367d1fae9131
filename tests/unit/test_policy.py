"""A commit policy in Python, as the shim starts it: one line in, the function called, the exit says how it went."""

import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler

from tests.support.expiry import Served
from tests.support.flink import ROOT

CALL = {
    "function": "examples.notify:by_http",
    "parameters": [],
    "catalog": "c",
    "database": "d",
    "table": "t",
    "keys": ["day", "hour"],
    "values": ["2024-01-01", "7"],
    "path": "s3://b/t/day=2024-01-01/hour=7",
}


class Hook(Served):
    """Notes what is sent to it, and answers by a status."""

    def __init__(self, status: int) -> None:
        told = self.told = list[object]()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        super().__init__(Handler)


def run(**change: object) -> subprocess.CompletedProcess[str]:
    """One commit."""
    command = [sys.executable, "-m", "partition_bridge.policy"]
    return subprocess.run(
        command, input=json.dumps({**CALL, **change}) + "\n", capture_output=True, text=True, cwd=ROOT, timeout=60, check=False
    )


def test_a_partition_is_told_by_http() -> None:
    """The example gets the partition and its parameter."""
    with Hook(204) as hook:
        assert run(parameters=[hook.endpoint]).returncode == 0, "it was told"
    assert hook.told == [{"table": "t", "values": {"day": "2024-01-01", "hour": "7"}, "path": CALL["path"]}], "all of it"


def test_what_the_function_raises_fails_the_commit() -> None:
    """Its exit isn't 0, and its last words say why."""
    with Hook(503) as hook:
        ended = run(parameters=[hook.endpoint])
    assert ended.returncode == 1, "not committed"
    assert "HTTP Error 503" in ended.stderr, "by its own words"


def test_a_function_that_is_not_there() -> None:
    """What to write, and where to install it."""
    ended = run(function="examples.notify:by_pigeon")
    assert ended.returncode == 1, "not committed"
    assert "the commit policy names 'examples.notify:by_pigeon', which can't be loaded" in ended.stderr, "named"
