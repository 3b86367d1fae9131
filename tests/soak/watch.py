"""What is visible, looked at all the while: a day that is announced before all of its rows are there is noticed when it happens."""

import threading
from collections.abc import Callable

from botocore.exceptions import BotoCoreError, ClientError

from tests.integration.lake import Contents, Table
from tests.integration.rows import Rows

LOOK = 2.0  # seconds between two looks
TELL = 10.0  # seconds between two lines


class Watch(threading.Thread):
    """Looks by itself; `early` is what it has found wrong, `oldest` the first row of the first day that isn't whole.

    A store that is away is looked at again.
    """

    def __init__(self, table: Table, stream: Rows, tell: Callable[[int, int], None]) -> None:
        super().__init__(name="watch", daemon=True)
        self._table = table
        self._contents = Contents(table)
        self._stream = stream
        self._per_day = stream.per_day or 1
        self._tell = tell
        self._ended = threading.Event()
        self._seen: set[str] = set()
        self.visible = 0
        self.oldest = 0
        self.early: list[str] = []

    def run(self) -> None:
        looks = 0
        while not self._ended.wait(LOOK):
            try:
                self.look()
            except (BotoCoreError, ClientError):
                continue
            looks += 1
            if looks % int(TELL / LOOK) == 0:
                self._tell(self.visible, len(self._seen))

    def look(self) -> None:
        """Announced days first, rows after: rows that became visible in between can only hide a mistake that the audit finds."""
        announced = set(self._table.listing().success) - self._seen
        rows = self._contents.rows()
        self.visible = rows.total()
        self.early += [
            f"{day} was announced with {rows[day]} of {self._per_day} rows" for day in announced if rows[day] < self._per_day
        ]
        self._seen |= announced
        while rows[f"p={self._stream.partition(self.oldest)}/"] >= self._per_day:
            self.oldest += self._per_day

    def stop(self) -> None:
        self._ended.set()
        self.join()
