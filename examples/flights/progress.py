"""Live progress: one table that renews itself on a terminal, plain lines elsewhere."""

import time
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.table import Table

from examples.flights.lake import Contents
from examples.flights.source import DAYS, ROWS

if TYPE_CHECKING:
    from typing_extensions import Self

LINE_EVERY = 5.0  # seconds between plain lines


class Progress:
    """What the demo says. A context: while it's open, `show` draws."""

    def __init__(self) -> None:
        self.console = Console(highlight=False)
        self._live = Live(console=self.console, refresh_per_second=4, transient=True)
        self._began = time.monotonic()
        self._last_line = 0.0

    def say(self, text: str) -> None:
        """One line, with the seconds since the start."""
        seconds = time.monotonic() - self._began
        self.console.print(f"[{seconds:6.1f} s] {text}", markup=False, soft_wrap=True)

    def show(self, fed_rows: int, contents: Contents, checkpoints: int, state: str) -> None:
        """The state of the stream; on a terminal it replaces what was shown before."""
        values = {
            "job": state,
            "rows fed": f"{fed_rows:,} of {ROWS:,}",
            "rows visible": f"{contents.rows:,}",
            "files": f"{contents.files:,}",
            "bytes": f"{contents.bytes:,}",
            "parts": f"{contents.parts:,}",
            "checkpoints": f"{checkpoints}",
            "partitions committed": f"{contents.committed} of {DAYS}",
        }
        if self.console.is_terminal:
            table = Table(*values, title="flights")
            table.add_row(*values.values())
            self._live.update(table)
        elif time.monotonic() - self._last_line >= LINE_EVERY:
            self._last_line = time.monotonic()
            self.say(", ".join(f"{name} {value}" for name, value in values.items()))

    def bucket(self, contents: Contents, months: dict[str, tuple[int, int, bool]]) -> None:
        """A table of what lies in the bucket, by month: files, bytes, and whether each day has its success file."""
        table = Table("month", "files", "bytes", "all days committed", title="in the bucket")
        for month, (files, size, committed) in months.items():
            table.add_row(month, f"{files:,}", f"{size:,}", "yes" if committed else "no")
        table.add_section()
        table.add_row("all", f"{contents.files:,}", f"{contents.bytes:,}", f"{contents.committed} of {DAYS}")
        self.console.print(table)

    def __enter__(self) -> "Self":
        if self.console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        if self.console.is_terminal:
            self._live.stop()
