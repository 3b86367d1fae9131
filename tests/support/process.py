"""A server as a child process of the tests: started with its output in a log, killed, started again."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import psutil


class ServerFailed(Exception):
    """A server died or did not answer in time. The message carries the end of its log."""


class ServerProcess:
    """One child process in a session of its own, so that a signal to it never reaches the tests.

    `start` may be called again after the process has ended: same command, same folder, same log.
    """

    def __init__(self, name: str, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        self._command = list(command)
        self._folder = folder
        self._environment = dict(environment)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        if self._process is None:
            raise ServerFailed(f"{self.name} has not been started")
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_ready(self, ready: Callable[[], bool], timeout: float) -> None:
        """Return when `ready` says so; fail at once when the process ends, or after `timeout` seconds."""
        deadline = time.monotonic() + timeout
        while not ready():
            if not self.alive:
                raise ServerFailed(f"{self.name} ended while it started; end of {self.log}:\n{self.tail()}")
            if time.monotonic() > deadline:
                raise ServerFailed(f"{self.name} was not ready after {timeout:.0f} s; end of {self.log}:\n{self.tail()}")
            time.sleep(0.05)

    def kill(self) -> None:
        """End the process as a crash does: SIGKILL, no chance to tidy up."""
        if self._process is not None and self.alive:
            os.kill(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def stop(self, timeout: float = 10) -> None:
        """End the process in good order, and by SIGKILL when it takes more than `timeout` seconds."""
        if self._process is None or not self.alive:
            return
        self._process.terminate()
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()

    def tail(self, lines: int = 30) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


def shown(pid: int) -> str:
    """What any user of the machine, or of the container, can see of a process."""
    process = psutil.Process(pid)
    return "\0".join([*process.cmdline(), *(f"{name}={value}" for name, value in process.environ().items())])
