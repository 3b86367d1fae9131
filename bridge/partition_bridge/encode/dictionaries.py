"""Which columns of a file get a dictionary: those for which parquet-mr would keep one."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

_FIRST_PAGE_ROWS = 20_000
_TOO_FEW_ROWS = 1_000
_LOOK_EVERY = 16
"""Files. Of a table whose rows change their nature so few are encoded with the wrong choice, at some cost in size or time."""


class Dictionaries:
    """Of the files of one table. ``candidates`` are the leaf columns that may have a dictionary."""

    def __init__(self, candidates: tuple[str, ...]) -> None:
        self._candidates = list(candidates)
        self._paying = self._candidates
        self._looks = 0

    def worthwhile(self, rows: pa.Table) -> list[str]:
        """Leave out the columns whose dictionary would be no smaller than their values, for a file that begins with ``rows``.

        parquet-mr asks that after the first page of 20,000 rows (``DictionaryValuesWriter.isCompressionSatisfying``) and falls
        back to plain values; pyarrow fills a dictionary up to its limit in vain, which costs half of all encoding where keys are
        unique. What one file teaches the next ones use for a while, since the look costs a fifth of the encoding of a file of
        100,000 rows; nested columns and a handful of rows aren't worth it.
        """
        if rows.num_rows < _TOO_FEW_ROWS:
            return self._candidates
        if self._looks % _LOOK_EVERY == 0:
            first_page = rows.slice(0, _FIRST_PAGE_ROWS).combine_chunks()
            self._paying = [
                path for path in self._candidates if path not in rows.column_names or _is_smaller(first_page.column(path))
            ]
        self._looks += 1
        return self._paying


def _is_smaller(column: pa.ChunkedArray) -> bool:
    kind = column.type
    values = len(column) - column.null_count
    if values == 0 or pa.types.is_boolean(kind) or pa.types.is_nested(kind):
        return True
    distinct = pc.count_distinct(column, mode="only_valid").as_py()
    indices = values * (distinct - 1).bit_length() / 8
    plain = _plain_bytes(column, values)
    return bool(indices + plain * distinct / values < plain)


def _plain_bytes(column: pa.ChunkedArray, values: int) -> float:
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return float(pc.sum(pc.binary_length(column)).as_py()) + 4.0 * values
    return values * max(float(kind.bit_width) / 8, 4.0)
