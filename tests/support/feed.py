"""A stream that is fed by hand: ids 0, 1, 2 … in CSV files of a folder that Flink's own source watches.

What has been fed is known exactly, however often the job that reads it is restarted, and nothing more comes than is asked for.
"""

from pathlib import Path


class Feed:
    """Drops files into `inbox`. A file appears whole or not at all."""

    def __init__(self, inbox: Path) -> None:
        inbox.mkdir(parents=True, exist_ok=True)
        self.inbox = inbox
        self.rows = 0
        self._files = 0

    def drop(self, rows: int, files: int = 1) -> None:
        """Feed so many more rows, spread over files, which the source's subtasks share out among them."""
        for number in range(files):
            share = rows * (number + 1) // files - rows * number // files
            content = "".join(f"{self.rows + each}\n" for each in range(share))
            # Flink's source passes over names that begin with a dot.
            hidden = self.inbox / f".{self._files:08}.csv"
            hidden.write_text(content)
            hidden.rename(self.inbox / f"{self._files:08}.csv")
            self.rows += share
            self._files += 1
