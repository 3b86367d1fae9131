"""Which columns of a file get a dictionary: those for which parquet-mr would keep one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterable

_FIRST_PAGE_ROWS = 20_000
_TOO_FEW_ROWS = 1_000


def worthwhile(rows: pa.Table, candidates: Iterable[str]) -> list[str]:
    """Leave out the columns whose dictionary would be no smaller than their values.

    parquet-mr asks that after the first page of 20,000 rows (``DictionaryValuesWriter.isCompressionSatisfying``) and falls
    back to plain values; pyarrow fills a dictionary up to its limit in vain, which costs half of all encoding where keys are
    unique. Decided once a file, from its first rows; nested columns and a handful of rows aren't worth the look.
    """
    if rows.num_rows < _TOO_FEW_ROWS:
        return list(candidates)
    first_page = rows.slice(0, _FIRST_PAGE_ROWS)
    return [path for path in candidates if path not in rows.column_names or _is_smaller(first_page.column(path))]


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
