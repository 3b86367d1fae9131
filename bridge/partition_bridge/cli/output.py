"""Where commands print for people. Keys and paths are shown as they are: they may have brackets and colons."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import TypeVar

from rich.console import Console
from rich.progress import track
from rich.table import Table

_Item = TypeVar("_Item")

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


@contextmanager
def waiting(what: str, console: Console = errors) -> Iterator[None]:
    """On a terminal it's told what takes so long, and gone with the result; a pipe gets nothing."""
    if not console.is_terminal:
        yield
        return
    with console.status(f"{what} …"):
        yield


def tracked(items: Iterable[_Item], total: int, what: str, console: Console = errors) -> Iterable[_Item]:
    """The items, on a terminal with a bar of how many are done; a pipe gets none."""
    return track(items, what, total, console=console, disable=not console.is_terminal, transient=True)


def utc(millis: float) -> str:
    """Epoch milliseconds as a date and a time of day."""
    return f"{datetime.fromtimestamp(millis / 1000, timezone.utc):%Y-%m-%d %H:%M:%S}"
