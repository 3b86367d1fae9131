"""A commit policy in Python: ``python -m partition_bridge.policy`` calls the function that the DDL names (docs/metastores.md).

Started by the shim's PythonCommitPolicy for each partition that Flink commits, with one line of JSON on standard input.
"""

from __future__ import annotations

import importlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from partition_bridge import child
from partition_bridge.errors import Configuration


@dataclass(frozen=True)
class CommittedPartition:
    """What Flink commits: the table's names in Flink, the values by partition column in their order, and where its files are."""

    catalog: str
    database: str
    table: str
    values: Mapping[str, str]
    path: str


def main() -> NoReturn:
    """Exits with 0 when the function has returned; with 1, and its traceback, when it raised."""
    child.end_at_once_by_signals()
    last_words = child.LastWords()
    last_words.log(logging.INFO)  # the user's function may have something to tell
    try:
        call(json.loads(child.first_line()))
    except BaseException as error:  # noqa: BLE001  # whatever the user's function raises
        last_words.exit_with(error)
    raise SystemExit(0)


def call(given: Mapping[str, Any]) -> None:
    """Raises ``Configuration`` where there's no such function, and what the function raises."""
    module, _, name = str(given["function"]).partition(":")
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as missing:
        raise Configuration(
            f"the commit policy names '{given['function']}', which can't be loaded ({missing}): write package.module:function, and install it "
            "on every TaskManager for the interpreter of 'python.executable'"
        ) from None
    values = dict(zip(given["keys"], given["values"], strict=True))
    partition = CommittedPartition(given["catalog"], given["database"], given["table"], values, given["path"])
    function(partition, *given["parameters"])


if __name__ == "__main__":
    main()
