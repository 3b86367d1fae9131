"""What lies under a table's path: S3 listings in, data objects, success files, other objects and open uploads out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from mypy_boto3_s3 import S3Client

# A part file of the bridge, of a streaming or of a batch job: its uuid is marked (docs/protocol.md, Names).
BRIDGE_FILE = re.compile(r".*-70627269-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}-(task-)?\d+-(file-)?\d+[^/]*")
ANY_FILE = re.compile(r"[^._][^/]*")


@dataclass(frozen=True)
class TablePath:
    """Where a table lies and how its objects are named. `prefix` has no slash at either end; `data_format` is parquet or json.

    Without `partition_keys` (None) every `name=value/` of a path is one.
    """

    bucket: str
    prefix: str
    partition_keys: tuple[str, ...] | None = ()
    success_file: str = "_SUCCESS"
    data_file: re.Pattern[str] = BRIDGE_FILE
    data_format: str = "parquet"

    @property
    def folder(self) -> str:
        """The prefix of all keys under the path."""
        return f"{self.prefix}/" if self.prefix else ""


@dataclass(frozen=True)
class ObjectEntry:
    """A visible object; `partition` is Flink's partition path (`day=2013-01-01/`) or "" where there is none."""

    key: str
    size: int
    modified: datetime
    partition: str


@dataclass(frozen=True)
class UploadEntry:
    """A multipart upload that is neither completed nor aborted."""

    key: str
    upload_id: str
    initiated: datetime


@dataclass
class Listing:
    """All objects and open uploads under one table's path, told apart by name."""

    data: list[ObjectEntry] = field(default_factory=list)
    success: dict[str, ObjectEntry] = field(default_factory=dict)
    strays: list[ObjectEntry] = field(default_factory=list)
    uploads: list[UploadEntry] = field(default_factory=list)


def list_table(client: S3Client, table: TablePath) -> Listing:
    """List a table's path. An object that is neither a data file of the table nor a success file is a stray."""
    listing = Listing(uploads=list_uploads(client, table))
    keys = table.partition_keys
    folders = "(?:[^/=]+=[^/]*/)*" if keys is None else "".join(re.escape(key) + "=[^/]*/" for key in keys)
    pattern = re.compile(f"({folders})([^/]+)")
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=table.bucket, Prefix=table.folder):
        for item in page.get("Contents", []):
            name = pattern.fullmatch(item["Key"].removeprefix(table.folder))
            partition = name.group(1) if name else ""
            entry = ObjectEntry(item["Key"], item["Size"], item["LastModified"], partition)
            if name and name.group(2) == table.success_file:
                listing.success[partition] = entry
            elif name and table.data_file.fullmatch(name.group(2)):
                listing.data.append(entry)
            elif not (item["Key"].endswith("/") and item["Size"] == 0):
                # An empty object that ends with a slash is the mark of a folder: Flink's S3 plugins leave them.
                listing.strays.append(entry)
    return listing


def list_uploads(client: S3Client, table: TablePath) -> list[UploadEntry]:
    """Open uploads under the table's path, the bridge's or not.

    Pages by key alone: a pair of markers is refused by versitygw, and no two uploads of a writer share a key.
    """
    found: list[UploadEntry] = []
    marker = ""
    while True:
        page = client.list_multipart_uploads(Bucket=table.bucket, Prefix=table.folder, KeyMarker=marker)
        found += [UploadEntry(item["Key"], item["UploadId"], item["Initiated"]) for item in page.get("Uploads", [])]
        if not page.get("IsTruncated") or not page.get("Uploads"):
            return found
        marker = page["Uploads"][-1]["Key"]
