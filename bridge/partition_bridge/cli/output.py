"""Where commands print for people. Keys and paths are shown as they are: they may have brackets and colons."""

from __future__ import annotations

import sys
from datetime import datetime, timezone

from rich.console import Console
from rich.table import Table

_ANY_WIDTH = 10_000
# Without a terminal nobody looks at columns, and a program or a mail takes a key from one line.
out = Console(highlight=False, soft_wrap=True, markup=False, emoji=False, width=None if sys.stdout.isatty() else _ANY_WIDTH)
errors = Console(stderr=True, highlight=False, soft_wrap=True, markup=False, emoji=False)


def table_of(*columns: str) -> Table:
    """A table that folds what a terminal is too narrow for, so that a key can still be copied."""
    table = Table(*columns, box=None, pad_edge=False)
    for column in table.columns:
        column.overflow = "fold"
    return table


def utc(millis: float) -> str:
    """Epoch milliseconds as a date and a time of day."""
    return f"{datetime.fromtimestamp(millis / 1000, timezone.utc):%Y-%m-%d %H:%M:%S}"
