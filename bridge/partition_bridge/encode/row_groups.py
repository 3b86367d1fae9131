"""Where a row group ends: encoded bytes foretold from Arrow bytes, learned from what was encoded before.

Flink's writer (parquet-mr, ``InternalParquetRecordWriter``) ends a row group when the encoded bytes that it holds reach
``parquet.block.size``. pyarrow encodes a row group in one go, so its size must be known before. One instance serves all
files of a table: what one file teaches the next one uses.
"""

from __future__ import annotations

from dataclasses import dataclass, field

# The first sample is small, as nothing is known yet; the second shows what grows with the rows and what (dictionaries)
# doesn't. Together they encode at most this share of one row group twice, once in a writer's life.
_SAMPLE_SHARES = (1 / 16, 1 / 4)


@dataclass
class RowGroupSizing:
    """encoded ≈ fixed + slope * Arrow bytes.

    ``target`` is the encoded size asked for, ``arrow_limit`` the most Arrow bytes that may wait: a row group ends there though it is
    smaller than asked (I8). All sizes are bytes.
    """

    target: int
    arrow_limit: int
    row_limit: int
    _fixed: float = field(default=0.0, init=False)
    _slope: float = field(default=1.0, init=False)
    _samples: list[tuple[int, int]] = field(default_factory=list, init=False)
    _learned: bool = field(default=False, init=False)

    def next_sample(self, arrow_bytes: int) -> int | None:
        """Arrow bytes that should be encoded as a sample before ``rows_to_write`` is asked; None when enough is known."""
        if self._learned or len(self._samples) == len(_SAMPLE_SHARES):
            return None
        wanted = int(self._arrow_bytes_for(self.target * _SAMPLE_SHARES[len(self._samples)]))
        return wanted if arrow_bytes >= wanted else None

    def learn_sample(self, arrow_bytes: int, encoded_bytes: int) -> None:
        """Take in what a sample measured."""
        if self._samples:
            first_arrow, first_encoded = self._samples[0]
            growth = encoded_bytes - first_encoded
            if arrow_bytes > first_arrow and growth > 0:
                self._slope = growth / (arrow_bytes - first_arrow)
                self._fixed = max(0.0, encoded_bytes - self._slope * arrow_bytes)
        else:
            self._slope = encoded_bytes / max(arrow_bytes, 1)
        self._samples.append((arrow_bytes, encoded_bytes))

    def learn_group(self, arrow_bytes: int, encoded_bytes: int) -> None:
        """Take in a row group that was written; one that a checkpoint cut short says nothing about full ones."""
        if encoded_bytes * 2 >= self.target:
            self._slope, self._fixed, self._learned = encoded_bytes / arrow_bytes, 0.0, True

    def rows_to_write(self, arrow_bytes: int, rows: int) -> int:
        """How many of the waiting rows make the next row group; 0 while they aren't enough for one."""
        full = min(self._arrow_bytes_for(self.target), self.arrow_limit)
        if arrow_bytes < full and rows < self.row_limit:
            return 0
        return max(1, min(rows, self.row_limit, int(rows * full / max(arrow_bytes, 1))))

    def _arrow_bytes_for(self, encoded_bytes: float) -> float:
        return max(1.0, (encoded_bytes - self._fixed) / self._slope)
