"""The audit on a real store: it passes what is right and names each way of being wrong."""

import io
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from partition_bridge.audit import AuditFailed, TablePath, audit
from tests.support.servers import S3Server, Versitygw

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

NAME = "part-70627269-0000-8000-8000-00000000000{}-0-{}"
DAYS = ("day=2013-01-01/", "day=2013-01-02/")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """One store for all tests: each has a bucket of its own."""
    with Versitygw(tmp_path_factory.mktemp("s3")) as started:
        yield started


@pytest.fixture
def table(server: S3Server, request: pytest.FixtureRequest) -> TablePath:
    """An empty table in a bucket of its own."""
    bucket = f"audit-{abs(hash(request.node.name)) % 10**9}"
    server.create_bucket(bucket)
    return TablePath(bucket, "lake/t", ("day",))


def parquet(rows: pa.Table) -> bytes:
    """Rows as the bytes of a Parquet file."""
    out = io.BytesIO()
    pq.write_table(rows, out)
    return out.getvalue()


def rows_of(day: int) -> pa.Table:
    """Three rows, two of them the same."""
    return pa.table({"id": [day, day + 10, day + 10], "name": ["a", None, None]})


def put(client: "S3Client", table: TablePath, name: str, body: bytes = b"") -> None:
    """Put an object under the table's path."""
    client.put_object(Bucket=table.bucket, Key=f"{table.prefix}/{name}", Body=body)


def fill(client: "S3Client", table: TablePath) -> pa.Table:
    """Two committed partitions of three rows each, one row twice; what they hold is returned."""
    expected = []
    for number, day in enumerate(DAYS, 1):
        put(client, table, day + NAME.format(number, 0), parquet(rows_of(number)))
        put(client, table, day + "_SUCCESS")
        value = pa.array([day[4:-1]] * 3)
        expected.append(rows_of(number).append_column("day", value))
    return pa.concat_tables(expected)


def test_a_right_table_passes_with_its_numbers(server: S3Server, table: TablePath) -> None:
    """Rows that occur twice in the input occur twice in the table, and nothing else lies there."""
    expected = fill(server.client(), table)

    report = audit(server.client(), table, expected, committed=DAYS)

    assert (report.rows, report.data_objects, report.success_files, report.open_uploads) == (6, 2, 2, 0)


def drop_a_file(client: "S3Client", table: TablePath) -> None:
    """Rows are missing."""
    client.delete_object(Bucket=table.bucket, Key=f"{table.prefix}/{DAYS[0]}{NAME.format(1, 0)}")


def repeat_a_file(client: "S3Client", table: TablePath) -> None:
    """Rows are there twice; their partition is announced again."""
    put(client, table, DAYS[0] + NAME.format(1, 1), parquet(rows_of(1)))
    put(client, table, DAYS[0] + "_SUCCESS")


def break_a_file(client: "S3Client", table: TablePath) -> None:
    """A data object that is none."""
    put(client, table, DAYS[0] + NAME.format(1, 0), b"not Parquet")
    put(client, table, DAYS[0] + "_SUCCESS")


def drop_a_success_file(client: "S3Client", table: TablePath) -> None:
    """A partition isn't announced."""
    client.delete_object(Bucket=table.bucket, Key=f"{table.prefix}/{DAYS[1]}_SUCCESS")


def add_a_success_file(client: "S3Client", table: TablePath) -> None:
    """A partition is announced that has no rows."""
    put(client, table, "day=2013-01-03/_SUCCESS")


def write_after_success(client: "S3Client", table: TablePath) -> None:
    """Rows become visible after the announcement."""
    time.sleep(1.1)  # stores tell the time of an object in whole seconds
    put(client, table, DAYS[1] + NAME.format(2, 0), parquet(rows_of(2)))


def leave_an_upload_open(client: "S3Client", table: TablePath) -> None:
    """An upload that nobody will complete."""
    client.create_multipart_upload(Bucket=table.bucket, Key=f"{table.prefix}/{DAYS[1]}{NAME.format(3, 0)}")


def add_a_foreign_object(client: "S3Client", table: TablePath) -> None:
    """An object that isn't the table's."""
    put(client, table, DAYS[1] + "notes.txt", b"hello")


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (drop_a_file, "(a) 3 rows missing"),
        (repeat_a_file, "(a) 3 rows surplus"),
        (break_a_file, "can't be read"),
        (drop_a_success_file, "(b) 1 partitions lack"),
        (add_a_success_file, "(b) 1 partitions have a success file and must not: day=2013-01-03/"),
        (write_after_success, "(c) lake/t/day=2013-01-02/"),
        (leave_an_upload_open, "(d) open upload"),
        (add_a_foreign_object, "(e) foreign object: key lake/t/day=2013-01-02/notes.txt"),
    ],
)
def test_each_damage_is_found_and_named(
    server: S3Server, table: TablePath, damage: "Callable[[S3Client, TablePath], None]", found: str
) -> None:
    """One damage gives a failure whose text says what is wrong and where."""
    expected = fill(server.client(), table)
    damage(server.client(), table)

    with pytest.raises(AuditFailed) as failure:
        audit(server.client(), table, expected, committed=DAYS)

    assert found in str(failure.value), "the damage itself must be named"


def test_an_upload_that_a_snapshot_names_may_stay(server: S3Server, table: TablePath) -> None:
    """An open upload is in order while a retained savepoint may still complete it (I6)."""
    client = server.client()
    expected = fill(client, table)
    leave_an_upload_open(client, table)
    named = [each["UploadId"] for each in client.list_multipart_uploads(Bucket=table.bucket)["Uploads"]]

    report = audit(client, table, expected, committed=DAYS, allowed_uploads=named)

    assert report.open_uploads == 1
