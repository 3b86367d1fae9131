"""What is there of a table, and what pyarrow, DuckDB, Spark and Flink read of it: a text for each value, or why it can't be read."""

import gzip
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import zstandard

from tests.differential.tables import Table, old_times
from tests.differential.write import SIDES, Place, Written, declared, root_cause, with_
from tests.integration.lake import BRIDGE, Lake
from tests.support.rest import RestFailed

Rows = dict[str, dict[str, str]]
"""By row, by column. A reader's error is the row `error`."""
ALONE = 2
"""Tables of a group that Flink's reader is known to fail on and is tried with all the same: on both sides, or on one?"""
QUERIES = 8
"""Most queries of Flink for one group of tables: each takes seconds, and what makes one fail is the reader's."""
END_OF = {"": "", "gzip": ".gz", "zstd": ".zst"}
UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


@dataclass
class Contents:
    """One side of a table: data files by folder, the other objects, calls of the policy, the footer's schema, and what readers have read."""

    data: dict[str, list[bytes]] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    schema: list[dict[str, str]] = field(default_factory=list)
    read: dict[str, Rows] = field(default_factory=dict)

    @property
    def files(self) -> list[bytes]:
        return [each for folder in sorted(self.data) for each in self.data[folder]]


def contents(place: Place) -> Contents:
    """Data files are those that are named as the side's sink names them."""
    options, ours = place.table.options, place.connector == BRIDGE
    prefix = options.get("sink.file.prefix", "part") if ours else "part"
    suffix = options.get("sink.file.suffix", "") + END_OF[options.get("sink.file.compression", "")] if ours else ""
    name = re.compile(
        rf"{re.escape(prefix)}-{UUID}-(\d+-\d+|task-\d+-file-\d+{'-[0-9a-f]{8}' if ours else ''}){re.escape(suffix)}"
    )
    found = Contents(calls=place.calls.read_text().splitlines() if place.calls.exists() else [])
    for key, body in sorted(place.files()):
        folder, _, file = key.rpartition("/")
        if name.fullmatch(file):
            found.data.setdefault(folder, []).append(_plain(file, body))
        else:
            found.others.append(key)
    return found


def _plain(name: str, body: bytes) -> bytes:
    if name.endswith(".gz"):
        return gzip.decompress(body)
    return zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True).read() if name.endswith(".zst") else body


def read_locally(table: Table, side: Contents, folder: Path, spark: Any = None) -> None:
    """Have pyarrow, DuckDB and, if there is one, Spark read a Parquet table's files, from copies in `folder`."""
    folder.mkdir(parents=True)
    for number, body in enumerate(side.files):
        (folder / f"{number}.parquet").write_bytes(body)
    # DuckDB tells a footer as it's written; the root's name, which comes first, is told apart in docs/parity.md.
    with duckdb.connect() as connection:
        nodes = connection.execute(f"SELECT * EXCLUDE (file_name) FROM parquet_schema('{folder}/0.parquet')")
        keys = [name for name, *_ in nodes.description or ()]
        side.schema = [{key: str(value) for key, value in zip(keys, node, strict=True)} for node in nodes.fetchall()[1:]]
    columns = [name for name, _ in table.data_columns]
    side.read["pyarrow"] = _attempt(lambda: _by_pyarrow(side, "ns"))
    side.read["pyarrow, microseconds"] = _attempt(lambda: _by_pyarrow(side, "us"))
    side.read["DuckDB"] = _attempt(lambda: _by_duckdb(columns, folder))
    if spark is not None:
        side.read["Spark"] = _attempt(lambda: _by_spark(spark, folder))


def _attempt(read: Callable[[], Rows]) -> Rows:
    """A reader's error counts by its kind: its text names files."""
    try:
        return read()
    except Exception as error:  # noqa: BLE001  # whatever a reader raises is its answer
        return {"error": {"error": type(error).__name__, "text": str(error)[:300]}}


def _by_pyarrow(side: Contents, unit: str) -> Rows:
    rows: Rows = {}
    for folder, bodies in side.data.items():
        for body in bodies:
            file = pq.ParquetFile(io.BytesIO(body), coerce_int96_timestamp_unit=unit).read()
            for row in file.to_pylist():
                _add(rows, row["id"], {"folder": folder, **{name: text(value) for name, value in row.items()}})
    return rows


def _by_duckdb(columns: Sequence[str], folder: Path) -> Rows:
    texts = ", ".join(f'CAST("{name}" AS VARCHAR)' for name in columns)
    with duckdb.connect() as connection:
        source = f"read_parquet('{folder}/*.parquet', hive_partitioning = false)"
        kinds = {str(name): str(kind) for name, kind, *_ in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()}
        read = connection.execute(f"SELECT {texts} FROM {source}").fetchall()
    rows: Rows = {"types": kinds}
    for row in read:
        _add(rows, row[0], {name: str(value) for name, value in zip(columns, row, strict=True)})
    return rows


def _by_spark(spark: Any, folder: Path) -> Rows:
    frame = spark.read.parquet(str(folder))
    rows: Rows = {}
    for row in frame.collect():
        _add(rows, row["id"], {name: text(value) for name, value in row.asDict(recursive=True).items()})
    return rows


def text(value: Any) -> str:
    """As `repr`, with a time as SQL writes it, however deep inside it is."""
    if isinstance(value, datetime):  # pandas' one of nanoseconds included
        return value.isoformat(" ")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {text(each)}" for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(text, value)) + "]"
    return repr(value)


def _add(rows: Rows, row: Any, values: dict[str, str]) -> None:
    """One that is there already is there twice."""
    key, times = str(row), 0
    while key in rows:
        times += 1
        key = f"{row} again {times}"
    rows[key] = values


def read_by_flink(
    lake: Lake, written: Iterable[Written], sides: dict[tuple[int, str], Contents], most: int | None = None
) -> dict[int, str]:
    """Have Flink's Parquet reader read both sides of the tables in one query, and in one for each half where that fails, and so
    on for some queries; of those that it's known to fail on, some by themselves. With `most`, so many that it should be able to read. Which of them it could not read, and why.
    """
    written = list(written)
    unread = {each.table.number: _unreadable(each.table) for each in written if _unreadable(each.table)}
    for known in [each for each in written if each.table.number in unread][: 0 if most is not None else ALONE]:
        _alone(lake, known, sides)
    readable = [each for each in written if each.table.number not in unread]
    unread |= {each.table.number: "not tried" for each in readable[len(readable) if most is None else most :]}
    groups = [readable[:most]]
    for _ in range(QUERIES):
        group = groups.pop(0) if groups else []
        if not group:
            break
        places = [place for each in group for place in (each.ours, each.theirs)]
        try:
            for place, rows in _select(lake, places).items():
                sides[place].read["Flink"] = rows
        except RestFailed as failed:
            if len(group) == 1:
                unread[group[0].table.number] = root_cause(str(failed))
                _alone(lake, group[0], sides)
                continue
            middle = len(group) // 2
            groups += [group[:middle], group[middle:]]
    return unread | {each.table.number: "not tried" for group in groups for each in group}


def _alone(lake: Lake, written: Written, sides: dict[tuple[int, str], Contents]) -> None:
    """Each side by a query of its own: is it only one that can't be read?"""
    for place in (written.ours, written.theirs):
        key = (place.table.number, place.connector)
        try:
            sides[key].read["Flink"] = _select(lake, [place]).get(key, {})
        except RestFailed as failed:
            sides[key].read["Flink"] = {"error": {"error": "", "text": root_cause(str(failed))}}


def _unreadable(table: Table) -> str:
    """Why Flink's Parquet reader fails on what either sink writes of a table; "" if it's not known to."""
    stamps = [(name, kind) for name, kind in table.columns if {"TIMESTAMP", "TIMESTAMP_LTZ"} & set(kind.families)]
    if table.options.get("parquet.write.int64.timestamp") == "true" and any(len(kind.families) > 1 for _, kind in stamps):
        return "INT64 times inside of other types"
    return "times before 1970" if any(old_times(row[name]) for row in (*table.rows, *table.again) for name, _ in stamps) else ""


def _select(lake: Lake, places: Sequence[Place]) -> dict[tuple[int, str], Rows]:
    labels = {_label(place): place for place in places}
    read: dict[tuple[int, str], Rows] = {(place.table.number, place.connector): {} for place in places}
    found = lake.select("".join(map(_ddl, places)), " UNION ALL ".join(map(_query, places)), timeout=600)
    for label, row, values in found:
        place = labels[label]
        names = [name for name, _ in place.table.data_columns]
        _add(
            read[place.table.number, place.connector], row, {name: str(value) for name, value in zip(names, values, strict=True)}
        )
    return read


def _label(place: Place) -> str:
    return f"{'ours' if place.connector == SIDES[0] else 'theirs'}_{place.table.number}"


def _ddl(place: Place) -> str:
    # Unpartitioned: what is in the folders' names is compared byte for byte, and Flink's reader can't parse all of them.
    of_parquet = {key: value for key, value in place.table.options.items() if key.startswith("parquet.")}
    options = with_(
        {"connector": "filesystem", "format": "parquet", "path": place.path, "source.report-statistics": "NONE", **of_parquet}
    )
    return f"CREATE TEMPORARY TABLE {_label(place)} ({declared(place.table.data_columns)}) WITH ({options});\n"


def _query(place: Place) -> str:
    quoted = (name.replace("`", "``") for name, _ in place.table.data_columns)
    texts = ", ".join(f"CAST(`{name}` AS STRING)" for name in quoted)
    return f"SELECT CAST('{_label(place)}' AS STRING), CAST(`id` AS STRING), ARRAY[{texts}] FROM {_label(place)}"
