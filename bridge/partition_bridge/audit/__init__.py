"""The audit: what the bridge promises of a table, checked against the store alone.

    (a) the multiset of rows over the visible data objects equals the expected one;
    (b) the success files are those of the expected partitions;
    (c) no data object is newer than its partition's success file, but where it was announced again afterwards
        (then the success file was written again, too); told by the store's own clock, which may tick in whole seconds;
    (d) every open upload is one that a retained checkpoint or savepoint names;
    (e) nothing else lies under the table's path.

One definition for every fault, integration and container test, the demo and `partition-bridge verify`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from partition_bridge.audit.listing import (
    ANY_FILE,
    BRIDGE_FILE,
    Listing,
    ObjectEntry,
    TablePath,
    UploadEntry,
    list_table,
)
from partition_bridge.audit.rows import difference, read_rows

if TYPE_CHECKING:
    from collections.abc import Collection

    import pyarrow as pa
    from mypy_boto3_s3 import S3Client

__all__ = [
    "ANY_FILE",
    "BRIDGE_FILE",
    "AuditFailed",
    "AuditReport",
    "ObjectEntry",
    "TablePath",
    "UploadEntry",
    "audit",
]

SHOWN = 10


class AuditFailed(Exception):
    """The table isn't what it must be. The message and `findings` list everything that is wrong, by check (a to e)."""

    def __init__(self, table: TablePath, findings: list[str]) -> None:
        super().__init__(f"audit of s3://{table.bucket}/{table.prefix} failed:\n" + "\n".join(findings))
        self.findings = findings


@dataclass(frozen=True)
class AuditReport:
    """A table that passed, in numbers."""

    rows: int
    data_objects: int
    data_bytes: int
    success_files: int
    open_uploads: int


def audit(
    client: S3Client,
    table: TablePath,
    expected: pa.Table,
    *,
    committed: Collection[str],
    allowed_uploads: Collection[str] = (),
    default_partition: str = "__DEFAULT_PARTITION__",
) -> AuditReport:
    """Check (a) to (e); raise `AuditFailed` with all findings.

    `expected` has the table's columns, partition columns as strings, and each row as often as it must be visible: after
    a rewind the caller adds what became visible after the snapshot, and takes off what was reported lost.
    `committed` are partition paths (`day=2013-01-01/`); `allowed_uploads` ids that retained snapshots name.
    """
    listing = list_table(client, table)
    actual, broken = read_rows(client, table.bucket, listing.data, default_partition, table.data_format)
    findings = [f"(a) s3://{table.bucket}/{key} can't be read: {why}" for key, why in broken.items()]
    findings += [f"(a) {line}" for line in difference(actual, expected)]
    findings += _success_files(listing, committed)
    findings += _newer_than_success(listing)
    findings += [
        f"(d) open upload that no retained checkpoint names: key {each.key}, upload id {each.upload_id}, since {each.initiated}"
        for each in listing.uploads
        if each.upload_id not in allowed_uploads
    ]
    findings += [f"(e) foreign object: key {each.key}, {each.size} bytes, {each.modified}" for each in listing.strays]
    if findings:
        raise AuditFailed(table, findings)
    return AuditReport(
        rows=actual.num_rows if actual is not None else 0,
        data_objects=len(listing.data),
        data_bytes=sum(each.size for each in listing.data),
        success_files=len(listing.success),
        open_uploads=len(listing.uploads),
    )


def _success_files(listing: Listing, committed: Collection[str]) -> list[str]:
    missing = sorted(set(committed) - set(listing.success))
    early = sorted(set(listing.success) - set(committed))
    lines = []
    if missing:
        lines.append(f"(b) {len(missing)} partitions lack their success file: {', '.join(missing[:SHOWN])}")
    if early:
        lines.append(f"(b) {len(early)} partitions have a success file and must not: {', '.join(early[:SHOWN])}")
    return lines


def _newer_than_success(listing: Listing) -> list[str]:
    lines = []
    for each in listing.data:
        success = listing.success.get(each.partition)
        if success is not None and each.modified > success.modified:
            lines.append(f"(c) {each.key} became visible at {each.modified}, after its success file of {success.modified}")
    return lines
