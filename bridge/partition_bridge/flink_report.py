"""What a program of the shim tells of a Flink, run as a process of that Flink would be."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from partition_bridge.errors import Fail
from partition_bridge.flink_jvm import reason, run_main
from partition_bridge.install.flink_home import FlinkHome
from partition_bridge.install.shim import ShimJar


def report_of(
    java: str, home: FlinkHome, own: ShimJar, main: str, key: str, *, arguments: Sequence[str] = (), told: str = ""
) -> Any:
    """The value in the one line of JSON, ``{"key": …}``, that the program prints. ``told`` is its standard input.

    Raises ``Fail``, with the JVM's own reason, where there is no such line.
    """
    environment = {**os.environ, "FLINK_CONF_DIR": str(home.conf), "FLINK_PLUGINS_DIR": str(home.plugins)}
    done = run_main(java, [own.path], home.lib, main, arguments, environment, told)
    # Flink's logging may share standard output.
    lines = [line for line in done.stdout.splitlines() if line.startswith(f'{{"{key}":')]
    if done.returncode != 0 or not lines:
        raise Fail(reason(done.stderr))
    return json.loads(lines[-1])[key]
