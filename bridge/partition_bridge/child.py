"""What every process that the shim starts has in common: its first line, its end with standard input, its last words."""

from __future__ import annotations

import logging
import os
import platform
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import NoReturn, Protocol

from partition_bridge.errors import BridgeError
from partition_bridge.store_settings import StoreKeys

_LAST_CALL_SECONDS = 5.0
_LOG = logging.getLogger("partition-bridge")


class Confidant(Protocol):
    """Who is told of the failure that ends the process."""

    def failed(self, kind: str, message: str) -> None: ...


def end_at_once_by_signals() -> None:
    """SIGTERM and SIGINT end the process as kill does: nothing is published or finished on the way (I2)."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: os._exit(128 + number))


def first_line() -> str:
    """The line that standard input begins with; what follows is nothing, until its end tells that the JVM is gone."""
    # Byte by byte from the descriptor: a buffered reader would take more and hide the end of the stream.
    line = bytearray()
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    return line.decode("utf-8", "replace")


def die_with_stdin() -> None:
    """From now on the process ends when its standard input does."""
    threading.Thread(target=_wait_for_the_end, name="stdin", daemon=True).start()


def _wait_for_the_end() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)


def versions(packages: Sequence[str]) -> dict[str, str]:
    """For the shim's log."""
    found = {"python": platform.python_version()}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # noqa: PERF203  # a few names, once
            found[name] = "unknown"
    return found


class LastWords:
    """Tells the shim and standard error why the process ends; the first error wins. No secret gets out (I12)."""

    def __init__(self) -> None:
        self.secrets: tuple[str, ...] = ()
        self.control: Confidant | None = None
        self._lock = threading.Lock()

    def log(self, level: int = logging.WARNING) -> None:
        """From now on every record of the process, libraries' included, goes to standard error in the form that the shim reads."""
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(LogLine(self._clean))
        logging.basicConfig(level=level, handlers=[handler], force=True)
        logging.captureWarnings(capture=True)

    def exit_with(self, error: BaseException) -> NoReturn:
        """Exits the process with 1. A second caller waits for the first one's exit."""
        self._lock.acquire()
        known = isinstance(error, BridgeError)
        kind = error.kind if isinstance(error, BridgeError) else "fail"
        message = self._clean(str(error) if known else f"{type(error).__name__}: {error}")
        if isinstance(error, ModuleNotFoundError):
            kind = "configuration"
            message += f". Run '{sys.executable} -m pip install flink-partition-bridge' on every TaskManager, or set 'python.executable' to an interpreter that has it."
        _LOG.error("%s: %s", kind, message, exc_info=None if known else error)
        # The gateway may be what failed: the exit code and standard error say the same.
        self._briefly(lambda control: control.failed(kind, message))
        os._exit(1)

    def hiding(self, keys: StoreKeys) -> StoreKeys:
        """``keys``, which no message will show from now on."""
        self.secrets += tuple(each for each in keys.secrets if each not in self.secrets)
        return keys

    def warn(self, text: str) -> None:
        """Something that a person should know, while the process goes on."""
        _LOG.warning("%s", text)

    def _briefly(self, call: Callable[[Confidant], None]) -> None:
        control = self.control
        if control is None:
            return
        thread = threading.Thread(target=_ignoring, args=(lambda: call(control),), daemon=True)
        thread.start()
        thread.join(_LAST_CALL_SECONDS)

    def _clean(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


class LogLine(logging.Formatter):
    """A record begins with its level, and its further lines are indented: the shim logs it as one, at that level."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        super().__init__("%(levelname)s %(name)s: %(message)s")
        self._clean = clean

    def format(self, record: logging.LogRecord) -> str:
        return "\n    ".join(self._clean(super().format(record)).splitlines())


def _ignoring(call: Callable[[], None]) -> None:
    try:
        call()
    except BridgeError as broken:
        _LOG.error("the task couldn't be told: %s", type(broken).__name__)
