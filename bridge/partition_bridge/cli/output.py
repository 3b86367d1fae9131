"""Where commands print for people. Keys and paths are shown as they are: they may have brackets and colons."""

from __future__ import annotations

import sys

from rich.console import Console

_ANY_WIDTH = 10_000
# Without a terminal nobody looks at columns, and a program or a mail takes a key from one line.
out = Console(highlight=False, soft_wrap=True, markup=False, emoji=False, width=None if sys.stdout.isatty() else _ANY_WIDTH)
errors = Console(stderr=True, highlight=False, soft_wrap=True, markup=False, emoji=False)
