"""Each difference between the two sides of a table."""

import io
import re
from dataclasses import dataclass
from typing import Any

import pyarrow.parquet as pq

from tests.differential.read import Contents, Rows
from tests.differential.tables import Table
from tests.differential.write import Written
from tests.integration.lake import BRIDGE, STOCK


@dataclass(frozen=True)
class Difference:
    """What differs, in which column if it is one's matter, and how."""

    what: str
    column: str
    ours: str
    theirs: str
    row: str = ""

    def __str__(self) -> str:
        where = f" of column {self.column}" if self.column else ""
        where += f" in row {self.row}" if self.row else ""
        return f"{self.what}{where}: ours {self.ours[:400]} | theirs {self.theirs[:400]}"


def refusals(written: Written) -> list[Difference]:
    """One if a single sink has refused the table, or both have for different reasons."""
    ours, theirs = (_reason(written.refused.get(side, "written")) for side in (BRIDGE, STOCK))
    return [Difference("refused", "", ours, theirs)] if ours != theirs else []


def _reason(text: str) -> str:
    """Without what is a job's own: names of tables and of files, and numbers."""
    return re.sub(r"\b(ours|theirs)_\d+|[\w:/.-]*/[\w/.-]+|\d+", "…", text)


def differences(table: Table, ours: Contents, theirs: Contents, unordered: bool = False) -> list[Difference]:
    """All of a table that both sinks have written."""
    found: list[Difference] = []

    def equal(what: str, our: Any, their: Any, column: str = "") -> None:
        if our != their:
            found.append(Difference(what, column, repr(our), repr(their)))

    equal("folders", sorted(ours.data), sorted(theirs.data))
    equal(
        "files per folder",
        {key: len(each) for key, each in ours.data.items()},
        {key: len(each) for key, each in theirs.data.items()},
    )
    equal("announcements and other objects", ours.others, theirs.others)
    # Where Flink's batch committer finds its folders on a disk, what falls into one bucket of its map has the disk's order.
    our_calls, their_calls = (sorted(side.calls) if unordered else side.calls for side in (ours, theirs))
    equal("calls of the policy", our_calls, their_calls)
    # parquet-mr keeps one factory of encodings for all writers of a JVM, with the options of the last one: its bytes are
    # the same again only where no other table has other options (test_host_formats.py).
    if table.format != "parquet" and sorted(ours.data) == sorted(theirs.data):
        for folder in ours.data:
            for our, their in zip(ours.data[folder], theirs.data[folder], strict=False):
                _bytes(found, folder, _stable(table, our), _stable(table, their))
    if table.format == "parquet":
        _leaves(found, ours, theirs)
        for one, other in zip(ours.schema, theirs.schema, strict=True):
            changed = [key for key in one if one[key] != other[key]]
            found += [Difference(f"{key} of {one['name']} in the footer", "", one[key], other[key]) for key in changed]
    for reader in ours.read:
        _rows(found, reader, ours.read[reader], theirs.read[reader])
    return found


def _bytes(found: list[Difference], folder: str, ours: bytes, theirs: bytes) -> None:
    """The place where two files begin to differ."""
    if ours != theirs:
        place = next(
            (each for each, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other),
            min(len(ours), len(theirs)),
        )
        shown = slice(max(0, place - 20), place + 60)
        found.append(Difference(f"bytes in '{folder}' at {place} of {len(theirs)}", "", repr(ours[shown]), repr(theirs[shown])))


def encoder(files: list[bytes]) -> str:
    """Of a side's files; `arrow` only where each is pyarrow's."""
    return "arrow" if all(body.startswith(b"PAR1") and b"parquet-cpp-arrow" in body for body in files) else "host"


def _stable(table: Table, body: bytes) -> bytes:
    """Avro ends each block with 16 random bytes that its header announces."""
    return body.replace(body[-16:], b"\0" * 16) if table.format == "avro" else body


def _leaves(found: list[Difference], ours: Contents, theirs: Contents) -> None:
    our, their = (_columns(side.files[0]) for side in (ours, theirs))
    if [each["path"] for each in our] != [each["path"] for each in their]:
        found.append(Difference("columns", "", str(our), str(their)))
        return
    for one, other in zip(our, their, strict=True):
        found += [Difference(key, one["column"], one[key], other[key]) for key in one if one[key] != other[key]]


def _columns(body: bytes) -> list[dict[str, str]]:
    """Each leaf of a Parquet file: path, types, how it may be null or repeated, codec."""
    file = pq.ParquetFile(io.BytesIO(body))
    chunks = file.metadata.row_group(0)
    leaves = []
    for place in range(len(file.schema)):
        leaf = file.schema.column(place)
        top = next(name for name in file.schema_arrow.names if leaf.path == name or leaf.path.startswith(name + "."))
        leaves.append(
            {
                "column": top,
                "path": leaf.path,
                "physical type": f"{leaf.physical_type} {leaf.length}",
                "logical type": re.sub(r", (is_from|force_set)_converted_type=\w+", "", str(leaf.logical_type)),
                "converted type": f"{leaf.converted_type} {leaf.precision} {leaf.scale}",
                "levels": f"{leaf.max_definition_level} {leaf.max_repetition_level}",
                "codec": chunks.column(place).compression,
            }
        )
    return leaves


def _rows(found: list[Difference], reader: str, ours: Rows, theirs: Rows) -> None:
    """One difference a column, with the first row that has it."""
    our_error, their_error = ours.get("error"), theirs.get("error")
    if our_error or their_error:
        if not (our_error and their_error and our_error["error"] == their_error["error"]):
            found.append(Difference(f"{reader} fails", "", str(our_error or "reads"), str(their_error or "reads")))
        return
    if set(ours) != set(theirs):
        found.append(Difference(f"rows by {reader}", "", str(sorted(ours)), str(sorted(theirs))))
        return
    seen = set()
    for row, values in ours.items():
        for column in values.keys() | theirs[row].keys():
            if values.get(column) != theirs[row].get(column) and column not in seen:
                seen.add(column)
                found.append(Difference(f"value by {reader}", column, str(values.get(column)), str(theirs[row].get(column)), row))
