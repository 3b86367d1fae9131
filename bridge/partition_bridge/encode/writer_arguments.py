"""What pyarrow's Parquet writer must be told so that its files look like Flink's."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

if TYPE_CHECKING:
    import pyarrow as pa

    from partition_bridge.encode.options import ParquetOptions

_PYARROW_TAKES = inspect.signature(pq.ParquetWriter.__init__).parameters
# What parquet-mr always does and older pyarrow can't be told: page checksums; TIME as adjusted to UTC (pyarrow 16 does that
# unasked, and only so is the converted type written that older readers know).
_AS_PARQUET_MR = {name: True for name in ("write_page_checksum", "write_time_adjusted_to_utc") if name in _PYARROW_TAKES}
_ROWS_BETWEEN_PAGE_CHECKS = 1024


def writer_arguments(options: ParquetOptions, first_rows: pa.Table) -> dict[str, Any]:
    """Keyword arguments of ``pyarrow.parquet.ParquetWriter`` for a file of the table that begins with these rows."""
    return dict(
        compression=options.codec,
        compression_level=options.level,
        use_dictionary=options.dictionaries.worthwhile(first_rows) or False,
        dictionary_pagesize_limit=options.dictionary_page_size,
        data_page_size=options.page_size,
        data_page_version=options.data_page_version,
        version=options.format_version,
        write_batch_size=_rows_between_page_checks(first_rows, options.page_size),
        use_deprecated_int96_timestamps=options.int96,
        write_statistics=True,
        write_page_index=True,
        store_schema=False,
        **_AS_PARQUET_MR,
    )


def _rows_between_page_checks(rows: pa.Table, page_size: int) -> int:
    """Pyarrow looks at a page's size only so often: wide values would make pages many times too large."""
    widest = max(column.nbytes for column in rows.columns)
    rows_a_page = page_size * rows.num_rows // max(widest, 1)
    return max(1, min(_ROWS_BETWEEN_PAGE_CHECKS, rows_a_page // 4)) if rows.num_rows else _ROWS_BETWEEN_PAGE_CHECKS
