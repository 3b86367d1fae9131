"""Rows for writers under test."""

import os

import pyarrow as pa

from tests.support.writers import SCHEMA


def random_rows(count: int, first: int = 0, width: int = 1000) -> pa.RecordBatch:
    """Rows numbered from `first` whose text no codec makes much smaller than half of `width` bytes."""
    texts = [os.urandom(width // 2).hex() for _ in range(count)]
    return pa.record_batch([pa.array(range(first, first + count)), pa.array(texts)], schema=SCHEMA)
