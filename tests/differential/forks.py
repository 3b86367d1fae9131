"""Writer processes as forks of one that has loaded what they all load: `python -m tests.differential.forks SOCKET`.

Loading Python, pyarrow and boto3 costs a writer more than a table of a few rows does. What a fork does from its first line on
is what `python -m partition_bridge.writer` does.
"""

import functools
import importlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NoReturn

import boto3
from botocore.loaders import JSONFileLoader

from tests.support.flink import ROOT
from tests.support.process import ServerProcess

LOADED = (
    "partition_bridge.writer",
    "partition_bridge.reader",
    "partition_bridge.process",
    "partition_bridge.desk",
    "partition_bridge.encode.parquet",
    "partition_bridge.store.s3",
)
CLIENT = """\
#!{python} -IS
# Gives its descriptors and arguments to the warm process, and ends as the fork does.
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as warm:
    warm.connect({path!r})
    socket.send_fds(warm, [json.dumps([sys.argv[1:], dict(os.environ)]).encode()], [0, 1, 2])
    os._exit(int(warm.recv(16) or b"1"))
"""


@contextmanager
def warm_interpreter(folder: Path) -> Iterator[Path]:
    """A `python.executable` for writers."""
    path, script = folder / "forks", folder / "python"
    script.write_text(CLIENT.format(python=sys.executable, path=str(path)))
    script.chmod(0o700)
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'bridge'}:{ROOT}"}
    server = ServerProcess("forks-server", [sys.executable, "-m", "tests.differential.forks", str(path)], folder, environment)
    server.start()
    try:
        server.wait_ready(path.exists, 60)
        yield script
    finally:
        server.stop()


def serve(path: Path) -> NoReturn:
    """Fork for each connection; one that has ended tells its client by its exit code."""
    for module in LOADED:
        importlib.import_module(module)
    _keep_models_of_services()
    ended, wakes = os.pipe2(os.O_NONBLOCK)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    clients: dict[int, socket.socket] = {}
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path.with_suffix(".new")))
        listening.listen(128)
        path.with_suffix(".new").rename(path)
        while True:
            ready = select.select([listening.fileno(), ended], [], [])[0]
            if ended in ready:
                os.read(ended, 4096)
                _tell_ends(clients)
            if listening.fileno() in ready:
                client, _ = listening.accept()
                request, descriptors, _, _ = socket.recv_fds(client, 1 << 16, 3)
                pid = os.fork()
                if pid == 0:
                    _become(request, descriptors, [listening.fileno(), ended, wakes, client.fileno()])
                for each in descriptors:
                    os.close(each)
                clients[pid] = client


def _keep_models_of_services() -> None:
    """Have botocore parse what it knows of S3 once, not in each fork."""
    load = functools.cache(partial(JSONFileLoader.load_file, JSONFileLoader()))
    JSONFileLoader.load_file = lambda _, path: load(path)  # type: ignore[method-assign,assignment]
    boto3.session.Session().client("s3", "us-east-1", aws_access_key_id="none", aws_secret_access_key="none")


def _tell_ends(clients: dict[int, socket.socket]) -> None:
    while clients:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        code = os.waitstatus_to_exitcode(status)
        with clients.pop(pid) as client:
            try:
                client.send(str(code if code >= 0 else 128 - code).encode())
            except BrokenPipeError:
                continue  # The shim had its client killed: nobody waits any more.


def _become(request: bytes, descriptors: list[int], others: list[int]) -> NoReturn:
    """Take the client's place and run its module. Doesn't return."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for target, each in enumerate(descriptors):
        os.dup2(each, target)
    for each in (*descriptors, *others):
        os.close(each)
    (_, module), environment = json.loads(request)
    os.environ.clear()
    os.environ.update(environment)
    try:
        importlib.import_module(module).main()
    finally:
        os._exit(1)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
