"""``python -m partition_bridge.writer``: the writer process of one sink subtask, started by the shim (docs/protocol.md).

Exits with 0 after SHUTDOWN, with 1 after a failure that the shim has been told of; at once when its standard input ends or a signal
comes. However it exits, it publishes nothing on the way (I2).
"""

from __future__ import annotations

import ctypes
import gc
import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NoReturn

from partition_bridge import bootstrap, child, faultpoint, start_line
from partition_bridge.bootstrap import Bootstrap
from partition_bridge.child import LastWords
from partition_bridge.control import Control, GatewayControl
from partition_bridge.store.protocol import Store
from partition_bridge.store_settings import StoreKeys

_PACKAGES = ("flink-partition-bridge", "pyarrow", "boto3", "py4j")
_M_MMAP_THRESHOLD = -3


def main() -> NoReturn:
    """Run until SHUTDOWN or failure; doesn't return."""
    _return_large_buffers()
    # Nothing that the start makes is garbage, and looking for some costs a quarter of it.
    gc.disable()
    child.end_at_once_by_signals()
    last_words = LastWords()
    last_words.log()
    try:
        given = bootstrap.parse(child.first_line())
        last_words.secrets = given.secrets()
        child.die_with_stdin()
        _work(given, last_words)
    except BaseException as error:  # noqa: BLE001  # the last words of whatever it was (I11)
        last_words.exit_with(error)
    os._exit(0)


def _work(given: Bootstrap, last_words: LastWords) -> None:
    from partition_bridge.reader import connect

    # boto3 and pyarrow take most of the start: both load while the shim is greeted.
    with ThreadPoolExecutor(2, "start") as start:
        greeted: Future[Control] = Future()
        store: Future[Store] = start.submit(_store, given, lambda: last_words.hiding(greeted.result().credentials()))
        if given.encoder == "arrow":
            start.submit(__import__, "partition_bridge.encode.parquet")
        line = connect(given.socket, given.token)
        control = last_words.control = GatewayControl(given.gateway_port, given.token)
        control.hello(start_line.PROTOCOL, os.getpid(), child.versions(_PACKAGES))
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
    gc.freeze()
    gc.enable()
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


if __name__ == "__main__":
    main()
