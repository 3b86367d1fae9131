"""The examples that the documentation starts with do what it says."""

import io

import pyarrow.parquet as pq

from partition_bridge.audit import BRIDGE_FILE, TablePath
from partition_bridge.audit.listing import Listing, list_table
from partition_bridge.audit.rows import read_rows
from tests.integration.jobs import Job
from tests.integration.lake import BUCKET, Lake
from tests.support.flink import ROOT
from tests.support.rest import SqlGateway
from tests.support.servers import S3Server

EXAMPLES = ROOT / "examples"


def listed(server: S3Server, folder: str) -> Listing:
    """What is visible under a table's path."""
    return list_table(server.client(), TablePath(BUCKET, folder, ("day",), data_file=BRIDGE_FILE))


def test_the_sql_quickstart_commits_partitions_while_it_runs(lake: Lake) -> None:
    """`sql-client.sh -f quickstart.sql`: after a checkpoint there are files of the bridge and `_SUCCESS`, and the job goes on."""
    with SqlGateway(lake.cluster.sql.base) as as_it_is:
        started = as_it_is.script((EXAMPLES / "quickstart.sql").read_text())
    assert started is not None, "the script ends with an INSERT"
    job = Job(lake.cluster, started)
    lake.jobs.append(job)

    job.waits_for("the first _SUCCESS", lambda: listed(lake.server, "readings").success)
    assert not job.ended(), "the job goes on"
    listing = listed(lake.server, "readings")
    assert listing.data, "a partition is announced only after its files are visible (I4)"
    assert {each.partition for each in listing.data} >= set(listing.success), "only partitions with files are announced"


def test_the_pyflink_quickstart_ends_with_all_rows_visible(lake: Lake) -> None:
    """`flink run --python quickstart.py`: the command returns when 10,000 rows are visible and each day has `_SUCCESS`."""
    printed = lake.cluster.run_python(EXAMPLES / "quickstart.py", f"s3://{BUCKET}/from-python")

    assert f"10000 rows are in s3://{BUCKET}/from-python" in printed, "it says what it did"
    listing = listed(lake.server, "from-python")
    store = lake.server.client()
    files = [store.get_object(Bucket=BUCKET, Key=each.key)["Body"].read() for each in listing.data]
    assert sum(pq.read_metadata(io.BytesIO(each)).num_rows for each in files) == 10_000, "every row once"
    assert set(listing.success) == {each.partition for each in listing.data}, "each partition is announced"
    assert not listing.strays, "nothing else lies there"
    assert not listing.uploads, "no upload is left"


def test_the_pyflink_datastream_example_lands_its_rows(lake: Lake) -> None:
    """`flink run --python datastream.py`: rows of a DataStream are in the bridge's files, by the names of their fields."""
    printed = lake.cluster.run_python(EXAMPLES / "datastream.py", f"s3://{BUCKET}/from-a-stream")

    assert f"1000 rows are in s3://{BUCKET}/from-a-stream" in printed, "it says what it did"
    listing = listed(lake.server, "from-a-stream")
    read, broken = read_rows(lake.server.client(), BUCKET, listing.data, "")
    assert not broken
    assert read is not None
    assert sorted(zip(*(read[name].to_pylist() for name in ("id", "celsius", "day")), strict=True)) == [
        (number, number / 8, f"2024-01-0{number % 3 + 1}") for number in range(1_000)
    ]
    assert set(listing.success) == {f"day=2024-01-0{day}/" for day in (1, 2, 3)}, "each partition is announced"
    assert not listing.uploads, "no upload is left"
