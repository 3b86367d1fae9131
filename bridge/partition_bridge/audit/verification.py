"""What can be said of a table by its objects alone, without knowing what was to be written: partitions, rows, sizes, what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from partition_bridge.audit.footers import rows_of
from partition_bridge.audit.listing import ANY_FILE, ObjectEntry, TablePath, list_table

if TYPE_CHECKING:
    from datetime import datetime

    from mypy_boto3_s3 import S3Client

MIB = 1 << 20
Track = Callable[[Iterable["int | str"], int], Iterable["int | str"]]
"""Gives what it's given, and shows how many of so many that were."""

SIZES = ((1, "under 1 MiB"), (16, "1 to 16 MiB"), (128, "16 to 128 MiB"), (512, "128 to 512 MiB"), (None, "512 MiB and more"))
"""Classes of file sizes: upper limits in MiB. Under 16 MiB readers spend their time on opening files."""


@dataclass
class Partition:
    """One partition's visible files. `rows` is None where nothing counts them; `success` is when its success file was written."""

    path: str
    success: datetime | None = None
    files: int = 0
    bytes: int = 0
    rows: int | None = None
    newer: list[str] = field(default_factory=list)
    """Keys of files that are newer than the success file: who trusted it may have read without them."""


@dataclass
class Verification:
    """A table in numbers. `unreadable`: why, by key. `others` are objects that readers pass over; `uploads` are open ones."""

    partitions: list[Partition]
    unreadable: dict[str, str]
    sizes: dict[str, int]
    others: int
    uploads: int

    @property
    def fine(self) -> bool:
        """Nothing is there that a reader must not meet."""
        return not self.unreadable and not any(partition.newer for partition in self.partitions)


def verify_table(
    client: S3Client, bucket: str, prefix: str, success_file: str, *, count_rows: bool, readers: int, track: Track
) -> Verification:
    """List the table and, with `count_rows`, read the footer of each file. `track` shows how far that is. Errors are boto3's."""
    listing = list_table(client, TablePath(bucket, prefix, None, success_file, ANY_FILE))
    partitions = {path: Partition(path, success.modified) for path, success in listing.success.items()}
    sizes: Counter[str] = Counter()
    for file in listing.data:
        partition = partitions.setdefault(file.partition, Partition(file.partition))
        partition.files += 1
        partition.bytes += file.size
        sizes[_size_class(file.size)] += 1
        if partition.success is not None and file.modified > partition.success:
            partition.newer.append(file.key)
    unreadable = {}
    if count_rows:
        with ThreadPoolExecutor(readers) as pool:
            rows = track(pool.map(partial(rows_of, client, bucket), listing.data), len(listing.data))
            unreadable = _counted(listing.data, rows, partitions)
    in_order = [partitions[path] for path in sorted(partitions)]
    classes = {name: sizes[name] for _, name in SIZES if name in sizes}
    return Verification(in_order, unreadable, classes, len(listing.strays), len(listing.uploads))


def _counted(files: list[ObjectEntry], rows: Iterable[int | str], partitions: dict[str, Partition]) -> dict[str, str]:
    """Add the rows to their partitions; why a file has none that could be counted, by key."""
    unreadable = {}
    for file, result in zip(files, rows, strict=True):
        if isinstance(result, str):
            unreadable[file.key] = result
        else:
            partition = partitions[file.partition]
            partition.rows = (partition.rows or 0) + result
    return unreadable


def _size_class(size: int) -> str:
    return next(name for limit, name in SIZES if limit is None or size < limit * MIB)
