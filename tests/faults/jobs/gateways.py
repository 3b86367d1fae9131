"""The lines between a job's writers and their tasks' py4j gateways: each writer's goes through toxiproxy, under a name of its own.

`python -m tests.faults.jobs.gateways API -m partition_bridge.writer`, the last two from the shim: an impatient writer whose gateway is
toxiproxy's end of a new line.
"""

import json
import os
import runpy
import sys
from pathlib import Path

from partition_bridge import child
from tests.faults.launch import HASTE, impatient
from tests.support.interpreters import interpreter
from tests.support.ports import free_ports
from tests.support.tcpproxy import Line


def gateway(api: str, writer: int, port: int = 0) -> Line:
    """The line of the writer with this pid."""
    return Line(api, f"gateway-{writer}", port)


def python_with_a_line(folder: Path, api: str) -> Path:
    """A `python.executable` for such writers; `api` is toxiproxy's."""
    return interpreter(folder / "python-with-a-line", "tests.faults.jobs.gateways", api)


def goes_through_a_line(api: str) -> None:
    """The writer hears what the shim says first, with another port for its gateway."""
    said = child.first_line

    def first_line() -> str:
        message = json.loads(said())
        (port,) = free_ports(1)
        gateway(api, os.getpid(), port).open(f"127.0.0.1:{message['gateway_port']}")
        return json.dumps({**message, "gateway_port": port})

    child.first_line = first_line


if __name__ == "__main__":
    impatient(HASTE)
    goes_through_a_line(sys.argv[1])
    runpy.run_module("partition_bridge.writer", run_name="__main__")
