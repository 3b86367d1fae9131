"""``python -m partition_bridge.writer``: the writer process of one sink subtask, started by the shim (docs/protocol.md).

Exits with 0 after SHUTDOWN, with 1 after a failure that the shim has been told of; at once when its standard input ends or a signal
comes. However it exits, it publishes nothing on the way (I2).
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from typing import NoReturn

from partition_bridge import bootstrap, faultpoint
from partition_bridge.bootstrap import Bootstrap
from partition_bridge.control import Control, GatewayControl
from partition_bridge.errors import BridgeError
from partition_bridge.store.protocol import Store
from partition_bridge.store_settings import StoreKeys

_LAST_CALL_SECONDS = 5.0
_M_MMAP_THRESHOLD = -3


def main() -> NoReturn:
    """Run until SHUTDOWN or failure; doesn't return."""
    _return_large_buffers()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: os._exit(128 + number))
    last_words = _LastWords()
    try:
        given = bootstrap.parse(_first_line())
        last_words.secrets = given.secrets()
        threading.Thread(target=_die_with_stdin, name="stdin", daemon=True).start()
        _work(given, last_words)
    except BaseException as error:  # noqa: BLE001  # the last words of whatever it was (I11)
        last_words.exit_with(error)
    os._exit(0)


def _work(given: Bootstrap, last_words: _LastWords) -> None:
    from partition_bridge.reader import connect

    # boto3 and pyarrow take most of the start: both load while the shim is greeted.
    with ThreadPoolExecutor(2, "start") as start:
        greeted: Future[Control] = Future()
        store: Future[Store] = start.submit(_store, given, lambda: last_words.hiding(greeted.result().credentials()))
        if given.encoder == "arrow":
            start.submit(__import__, "partition_bridge.encode.parquet")
        line = connect(given.socket, given.token)
        control = last_words.control = GatewayControl(given.gateway_port, given.token)
        control.hello(bootstrap.PROTOCOL, os.getpid(), _versions())
        greeted.set_result(control)
        from partition_bridge.process import WriterProcess

        writer = WriterProcess(
            given,
            line,
            control,
            store.result(),
            clock=lambda: time.time_ns() // 1_000_000,
            sleep=time.sleep,
            reach=faultpoint.in_folder(given.fault_points),
            fail=last_words.exit_with,
            warn=last_words.warn,
        )
    writer.run()


def _store(given: Bootstrap, configured: Callable[[], StoreKeys]) -> Store:
    from partition_bridge.store.conditional import Conditional, require_conditional
    from partition_bridge.store.s3 import open_store

    conditional = Conditional(given.conditional)
    connections = given.upload_concurrency + given.commit_concurrency
    store = open_store(given.store, given.checksum, connections, conditional, configured)
    store.check_bucket(given.bucket)
    if conditional is Conditional.ON:
        require_conditional(store, given.bucket, given.prefix)
    return store


def _return_large_buffers() -> None:
    """Glibc learns to keep freed buffers of the size of parts for itself; the budget of memory (I8) needs them given back."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(_M_MMAP_THRESHOLD, 1 << 20)


def _first_line() -> str:
    # Byte by byte from the descriptor: a buffered reader would take more and hide the end of the stream.
    line = bytearray()
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    return line.decode("utf-8", "replace")


def _die_with_stdin() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in ("flink-partition-bridge", "pyarrow", "boto3", "py4j"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # noqa: PERF203  # four names, once
            found[name] = "unknown"
    return found


class _LastWords:
    """Tells the shim and standard error why the writer ends; the first error wins. No secret gets out (I12)."""

    def __init__(self) -> None:
        self.secrets: tuple[str, ...] = ()
        self.control: Control | None = None
        self._lock = threading.Lock()

    def exit_with(self, error: BaseException) -> NoReturn:
        """Exits the process with 1. A second caller waits for the first one's exit."""
        self._lock.acquire()
        known = isinstance(error, BridgeError)
        kind = error.kind if isinstance(error, BridgeError) else "fail"
        message = self._clean(str(error) if known else f"{type(error).__name__}: {error}")
        if isinstance(error, ModuleNotFoundError):
            kind = "configuration"
            message += f". Run '{sys.executable} -m pip install flink-partition-bridge' on every TaskManager, or set 'python.executable' to an interpreter that has it."
        if not known:
            _say(self._clean("".join(traceback.format_exception(error))))
        _say(f"partition-bridge: {kind}: {message}")
        # The gateway may be what failed: the exit code and standard error say the same.
        self._briefly(lambda control: control.failed(kind, message))
        os._exit(1)

    def hiding(self, keys: StoreKeys) -> StoreKeys:
        """``keys``, which no message will show from now on."""
        self.secrets += tuple(each for each in keys.secrets if each not in self.secrets)
        return keys

    def warn(self, text: str) -> None:
        """Something that a person should know, while the writer goes on."""
        _say(f"partition-bridge: {self._clean(text)}")

    def _briefly(self, call: Callable[[Control], None]) -> None:
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


def _ignoring(call: Callable[[], None]) -> None:
    try:
        call()
    except BridgeError as broken:
        _say(f"partition-bridge: the task couldn't be told: {type(broken).__name__}")


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
