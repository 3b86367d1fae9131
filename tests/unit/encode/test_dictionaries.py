"""Which columns have a dictionary is looked at now and then, not for each file."""

from __future__ import annotations

import pyarrow as pa

from partition_bridge.encode.dictionaries import Dictionaries

ROWS = 2_000
REPEATED = pa.table({"c": [f"city-{i % 10}" for i in range(ROWS)]})
UNIQUE = pa.table({"c": [f"city-{i}" for i in range(ROWS)]})


def test_what_one_file_teaches_the_next_ones_use() -> None:
    """The look costs as much as a fifth of a small file, so a table's files share it."""
    dictionaries = Dictionaries(("c",))
    assert dictionaries.worthwhile(REPEATED) == ["c"], "ten values in 2,000 rows"

    assert dictionaries.worthwhile(UNIQUE) == ["c"], "taken over from the file before"


def test_a_table_whose_rows_have_changed_is_found_out() -> None:
    """A choice that no longer pays lasts for some files only."""
    dictionaries = Dictionaries(("c",))
    dictionaries.worthwhile(REPEATED)

    kept = [dictionaries.worthwhile(UNIQUE) for _ in range(16)]

    assert kept[-1] == [], "looked at again, and no value repeats"


def test_a_handful_of_rows_teaches_nothing() -> None:
    """A file of few rows comes at the end of many a checkpoint; what all the others have shown stays."""
    dictionaries = Dictionaries(("c",))
    assert dictionaries.worthwhile(UNIQUE) == [], "no value repeats"

    assert dictionaries.worthwhile(UNIQUE.slice(0, 10)) == ["c"], "a dictionary of ten values costs nothing"
    assert dictionaries.worthwhile(REPEATED) == [], "as before"


def test_rows_in_many_batches_are_judged_as_one() -> None:
    """The chunks of a column are no border."""
    rows = pa.concat_tables([REPEATED.slice(start, 100) for start in range(0, ROWS, 100)])

    assert Dictionaries(("c",)).worthwhile(rows) == ["c"], "ten values in all chunks together"
