"""Where a row group ends: encoded bytes foretold from Arrow bytes, learned from what was encoded before.

Flink's writer (parquet-mr, ``InternalParquetRecordWriter``) ends a row group when the encoded bytes that it holds reach
``parquet.block.size``. pyarrow encodes a row group in one go, so its size must be known before. One instance serves all
files of a table: what one file teaches the next one uses.
"""

from __future__ import annotations

from dataclasses import dataclass, field

# Sizes at which the first row group of a table is encoded on trial, as shares of the target. Dictionaries make the first
# rows cost more than later ones, so each trial is nearer to the target; past the last the rest is a straight line.
_TRIALS = (1 / 16, 1 / 4, 5 / 8)
_REACHED = 0.8
# Of a file that goes on after a barrier: readers pay for each row group, and the state for what isn't in one.
_WORTHWHILE = 8 << 20
_NEARLY_FULL = 0.9


@dataclass
class RowGroupSizing:
    """encoded = fixed + slope * Arrow bytes.

    ``target`` is the encoded size asked for, ``arrow_limit`` the most Arrow bytes that may wait: a row group ends there though it is
    smaller than asked (I8). All sizes are bytes.
    """

    target: int
    arrow_limit: int
    row_limit: int
    _fixed: float = field(default=0.0, init=False)
    _slope: float = field(default=1.0, init=False)
    _measured: tuple[int, int] = field(default=(0, 0), init=False)
    _trials_done: int = field(default=0, init=False)

    @property
    def worthwhile(self) -> int:
        """Encoded bytes that make a row group at a barrier; fewer wait for more."""
        return min(_WORTHWHILE, int(self.target * _NEARLY_FULL))

    def next_trial(self, arrow_bytes: int) -> int | None:
        """Arrow bytes to encode on trial before ``rows_to_write`` is asked; None when enough is known for what waits."""
        if self._trials_done == len(_TRIALS):
            return None
        wanted = int(self._arrow_bytes_for(self.target * _TRIALS[self._trials_done]))
        return wanted if arrow_bytes >= wanted else None

    def learn_trial(self, arrow_bytes: int, encoded_bytes: int) -> None:
        """Take in what a trial measured; one that stayed far below its share will be asked for again, with more rows."""
        arrow_before, encoded_before = self._measured
        growth = encoded_bytes - encoded_before
        if arrow_bytes > arrow_before and growth > 0:
            self._slope = growth / (arrow_bytes - arrow_before)
            self._fixed = encoded_bytes - self._slope * arrow_bytes
        self._measured = (arrow_bytes, encoded_bytes)
        if arrow_bytes <= arrow_before or encoded_bytes >= _REACHED * self.target * _TRIALS[self._trials_done]:
            self._trials_done += 1

    def learn_group(self, arrow_bytes: int, encoded_bytes: int) -> None:
        """Take in a full row group that was written (not one that a checkpoint cut short)."""
        self._slope, self._fixed, self._trials_done = encoded_bytes / arrow_bytes, 0.0, len(_TRIALS)

    def rows_to_write(self, arrow_bytes: int, rows: int) -> int:
        """How many of the waiting rows make the next row group; 0 while they aren't enough for one."""
        full = min(self._arrow_bytes_for(self.target), self.arrow_limit)
        if arrow_bytes < full and rows < self.row_limit:
            return 0
        return max(1, min(rows, self.row_limit, round(rows * full / max(arrow_bytes, 1))))

    def _arrow_bytes_for(self, encoded_bytes: float) -> float:
        return max(1.0, (encoded_bytes - self._fixed) / self._slope)
