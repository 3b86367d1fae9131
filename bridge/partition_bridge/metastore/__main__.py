"""``python -m partition_bridge.metastore``: the process that talks to a committer's metastore, started by the shim (docs/protocol.md).

Exits with 0 when the task has no more requests, with 1 after a failure that the shim has been told of; at once when its standard input
ends or a signal comes.
"""

from __future__ import annotations

import os
import time
from typing import NoReturn

from partition_bridge import child, faultpoint, start_line
from partition_bridge.child import LastWords
from partition_bridge.control import GatewayRequests
from partition_bridge.metastore import lookup, settings
from partition_bridge.metastore.serve import Patience, serve

_PACKAGES = ("flink-partition-bridge", "pymetastore", "thrift", "boto3", "py4j")


def main() -> NoReturn:
    """Serve until the task ends or something fails; doesn't return."""
    child.end_at_once_by_signals()
    last_words = LastWords()
    last_words.log()
    try:
        given = settings.parse(child.first_line())
        last_words.secrets = given.secrets()
        child.die_with_stdin()
        requests = last_words.control = GatewayRequests(given.gateway_port, given.token)
        requests.hello(start_line.PROTOCOL, os.getpid(), child.versions(_PACKAGES))
        metastore = lookup.find(given, lambda: last_words.hiding(requests.credentials()))
        patience = Patience(given.retry_ms / 1000, time.monotonic, time.sleep, last_words.warn)
        serve(requests, metastore, patience, faultpoint.in_folder(given.fault_points))
    except BaseException as error:  # noqa: BLE001  # the last words of whatever it was (I11)
        last_words.exit_with(error)
    os._exit(0)


if __name__ == "__main__":
    main()
