"""What lies in the bucket while the job runs and after it: rows, bytes, parts, announced days, open uploads."""

import io
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from partition_bridge.audit import TablePath, UploadEntry
from partition_bridge.audit.listing import ObjectEntry, list_table, list_uploads
from tests.support.servers import S3Server

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@dataclass(frozen=True)
class Contents:
    """Sums over the visible objects at one moment."""

    rows: int
    bytes: int
    parts: int
    files: int
    committed: int


class Lake:
    """The table's path in the store. Each data object is read once: it never changes after it has become visible."""

    def __init__(self, server: S3Server, table: TablePath) -> None:
        self._server = server
        self.table = table
        self._seen: dict[str, tuple[int, int]] = {}

    @cached_property
    def client(self) -> "S3Client":
        """A client of our own: none of the bridge's."""
        return self._server.client()

    def contents(self) -> Contents:
        """Sums over what is visible now."""
        listing = list_table(self.client, self.table)
        for entry in listing.data:
            if entry.key not in self._seen:
                self._seen[entry.key] = self._rows_and_parts(entry)
        counts = [self._seen[entry.key] for entry in listing.data]
        return Contents(
            rows=sum(rows for rows, _ in counts),
            bytes=sum(entry.size for entry in listing.data),
            parts=sum(parts for _, parts in counts),
            files=len(listing.data),
            committed=len(listing.success),
        )

    def months(self) -> dict[str, tuple[int, int, bool]]:
        """Files, bytes and whether all their partitions are committed, by month (`2013-01`)."""
        listing = list_table(self.client, self.table)
        months: dict[str, tuple[int, int, bool]] = {}
        for entry in listing.data:
            month = entry.partition.removeprefix("day=")[:7]
            files, size, committed = months.get(month, (0, 0, True))
            months[month] = (files + 1, size + entry.size, committed and entry.partition in listing.success)
        return months

    def data(self) -> list[ObjectEntry]:
        """All visible data objects."""
        return list_table(self.client, self.table).data

    def uploads(self) -> list[UploadEntry]:
        """All open uploads under the table's path."""
        return list_uploads(self.client, self.table)

    def parts_of(self, upload: UploadEntry) -> int:
        """How many parts an open upload has received."""
        parts = self.client.list_parts(Bucket=self.table.bucket, Key=upload.key, UploadId=upload.upload_id)
        return len(parts.get("Parts", []))

    def abort(self, upload: UploadEntry) -> None:
        """Abort one upload."""
        self.client.abort_multipart_upload(Bucket=self.table.bucket, Key=upload.key, UploadId=upload.upload_id)

    def download(self, folder: Path) -> Path:
        """Copies of all data objects under `folder`, partition folders included; a pattern that matches them."""
        for entry in self.data():
            target = folder / entry.key
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(self._body(entry.key))
        return folder / self.table.prefix / "*" / "*"

    def _body(self, key: str) -> bytes:
        return self.client.get_object(Bucket=self.table.bucket, Key=key)["Body"].read()

    def _rows_and_parts(self, entry: ObjectEntry) -> tuple[int, int]:
        answer = self.client.get_object(Bucket=self.table.bucket, Key=entry.key)
        rows = pq.read_metadata(io.BytesIO(answer["Body"].read())).num_rows
        # The ETag of a multipart upload ends with its number of parts; that of a single PUT has no such end.
        parts = answer["ETag"].strip('"').partition("-")[2]
        return rows, int(parts or 0)
