"""Where commands print for people. Keys and paths are shown as they are: they may have brackets and colons."""

from __future__ import annotations

from rich.console import Console

out = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
errors = Console(stderr=True, highlight=False, soft_wrap=True, markup=False, emoji=False)
