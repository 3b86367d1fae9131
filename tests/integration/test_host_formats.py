"""Formats that Flink encodes: the bridge uploads exactly the bytes that Flink's own sink writes of the same rows."""

import json
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from partition_bridge.audit import BRIDGE_FILE, TablePath
from partition_bridge.audit.listing import list_table
from tests.support.flink import FlinkCluster, s3_config, shim_jar
from tests.support.servers import S3Server, Versitygw

FORMATS = {
    "csv": "'format' = 'csv', 'csv.field-delimiter' = ';'",
    "avro": "'format' = 'avro'",
    "orc": "'format' = 'orc', 'orc.compress' = 'ZLIB'",
    "parquet": "'format' = 'parquet', 'parquet.bloom.filter.enabled' = 'true'",
    "json": "'format' = 'json', 'json.timestamp-format.standard' = 'ISO-8601'",
    "raw": "'format' = 'raw', 'raw.charset' = 'UTF-16'",
    "debezium_json": "'format' = 'debezium-json'",
    "parquet_forced": "'format' = 'parquet', 'sink.writer.encoder' = 'host'",
}
COLUMNS = "id BIGINT, v STRING, price DECIMAL(10, 2), ts TIMESTAMP(3), tags ARRAY<INT>, `day` STRING"
RAW_COLUMNS = "v STRING, `day` STRING"
ROWS = 5_000
PATIENCE = 120.0  # seconds; no assert depends on it, it only ends a test whose job hangs
QUERY = """
    SELECT id, IF(MOD(id, 7) = 0, CAST(NULL AS STRING), CONCAT('ü"; ', CAST(id AS STRING))), CAST(id AS DECIMAL(10, 2)) / 8,
        CAST(TO_TIMESTAMP_LTZ(id * 1001, 3) AS TIMESTAMP(3)), ARRAY[CAST(id AS INT), 7], IF(MOD(id, 2) = 0, 'even', 'odd') FROM numbers"""

RAW_QUERY = "SELECT CONCAT('ü', CAST(id AS STRING)), IF(MOD(id, 2) = 0, 'even', 'odd') FROM numbers"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A store with a bucket."""
    with Versitygw(tmp_path_factory.mktemp("s3")) as running:
        running.create_bucket("lake")
        yield running


@pytest.fixture(scope="module")
def cluster(server: S3Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlinkCluster]:
    """A Flink with the shim and the formats in lib."""
    config = {**s3_config(server), "restart-strategy.type": "none"}
    with FlinkCluster(tmp_path_factory.mktemp("flink"), jars=[shim_jar()], config=config) as running:
        yield running


def table(name: str, path: str, connector: str, options: str) -> str:
    """DDL of a sink partitioned by day that writes `_SUCCESS`."""
    columns = RAW_COLUMNS if "'raw'" in options else COLUMNS
    return (
        f"CREATE TABLE {name} ({columns}) PARTITIONED BY (`day`) WITH ('connector' = '{connector}', 'path' = '{path}',"
        f" 'sink.partition-commit.policy.kind' = 'success-file', {options});\n"
    )


def flinks_files(folder: Path) -> dict[str, bytes]:
    """The one data file of each partition folder."""
    return {f"{each.parent.name}/": each.read_bytes() for each in folder.glob("*/part-*")}


def our_files(server: S3Server, folder: str) -> dict[str, bytes]:
    """The one data object of each partition, which the bridge has written."""
    listing = list_table(server.client(), TablePath("lake", folder, ("day",), data_file=BRIDGE_FILE))
    assert set(listing.success) == {each.partition for each in listing.data}, "each partition is announced (I4)"
    assert not listing.uploads, "no upload is left"
    return {each.partition: server.client().get_object(Bucket="lake", Key=each.key)["Body"].read() for each in listing.data}


def without_sync_markers(avro: bytes) -> bytes:
    """An Avro file ends each block with 16 random bytes that its header announces: with these blanked, it's deterministic."""
    return avro.replace(avro[-16:], b"\0" * 16)


def test_the_bytes_are_flinks(cluster: FlinkCluster, server: S3Server, tmp_path: Path) -> None:
    """The same rows through both sinks, one job: for each format the objects in the store equal the files on disk."""
    script = (
        # One file a partition: without checkpoints, whatever a test before has set in the gateway's one session.
        "RESET 'execution.checkpointing.interval';\n"
        "SET 'parallelism.default' = '1';\n"
        "CREATE TABLE numbers (id BIGINT) WITH ('connector' = 'datagen', 'fields.id.kind' = 'sequence',"
        f" 'fields.id.start' = '1', 'fields.id.end' = '{ROWS}');\n"
    )
    inserts = ""
    for name, options in FORMATS.items():
        flinks = re.sub(", 'sink.writer.encoder' = 'host'", "", options)
        script += table(f"flink_{name}", (tmp_path / name).as_uri(), "filesystem", flinks)
        script += table(f"our_{name}", f"s3://lake/{name}", "filesystem-bridge", f"'sink.fallback' = 'forbid', {options}")
        query = RAW_QUERY if name == "raw" else QUERY
        # A blank after the semicolon: the whole set is one statement to the gateway.
        inserts += f"INSERT INTO flink_{name} {query}; \nINSERT INTO our_{name} {query}; \n"

    # Phase 1: one job writes every table twice.
    job = cluster.sql.script(script + f"EXECUTE STATEMENT SET BEGIN\n{inserts}END;\n")
    assert job is not None, "the script ends with a job"
    names = " ".join(str(vertex["name"]) for vertex in cluster.jobs.job(job)["vertices"])
    assert names.count("BridgeFileWriter (Flink's format)") == len(FORMATS), f"Flink's format encodes each of ours: {names}"
    assert cluster.jobs.wait(job, timeout=300) == "FINISHED"

    # Phase 2: partition by partition, the same bytes.
    for name in FORMATS:
        theirs, ours = flinks_files(tmp_path / name), our_files(server, name)
        if name == "avro":
            theirs, ours = ({key: without_sync_markers(file) for key, file in files.items()} for files in (theirs, ours))
        assert set(ours) == {"day=even/", "day=odd/"}, f"{name}: the partitions"
        assert ours == theirs, f"{name}: the bridge changed bytes on the way"


def writers_of(taskmanager: int) -> list[int]:
    """The writer processes that a TaskManager has started."""
    children = [int(pid) for each in Path(f"/proc/{taskmanager}/task").glob("*/children") for pid in each.read_text().split()]
    return [pid for pid in children if b"partition_bridge.writer" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_json_files_span_checkpoints_and_lose_nothing_with_a_killed_writer(cluster: FlinkCluster, server: S3Server) -> None:
    """Far fewer files than checkpoints; the file that was open at the kill ends where its checkpoint left it; each row is there once."""
    rows = 6_000
    job = cluster.sql.script(
        "SET 'parallelism.default' = '1';\n"
        "SET 'execution.checkpointing.interval' = '1 s';\n"
        "SET 'restart-strategy.type' = 'fixed-delay';\n"
        "SET 'restart-strategy.fixed-delay.delay' = '1 s';\n"
        "CREATE TABLE slow_numbers (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '300',"
        f" 'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '{rows}');\n"
        "CREATE TABLE span (id BIGINT, v STRING) WITH ('connector' = 'filesystem-bridge', 'path' = 's3://lake/span',"
        " 'format' = 'json', 'sink.fallback' = 'forbid');\n"
        "INSERT INTO span SELECT id, 'a value' FROM slow_numbers;\n"
    )
    assert job is not None, "the script ends with a job"

    # Phase 1: some checkpoints are complete, and nothing is visible: the file is open.
    deadline = time.monotonic() + PATIENCE
    while cluster.jobs.completed_checkpoints(job) < 4:
        assert time.monotonic() < deadline, f"no checkpoints; failures of the job: {cluster.jobs.exceptions(job)}"
        time.sleep(0.2)
    table = TablePath("lake", "span", data_file=BRIDGE_FILE)
    assert list_table(server.client(), table).data == [], "the file is open over checkpoints"

    # Phase 2: the writer is killed; the job goes on by itself, to its end.
    (writer,) = writers_of(cluster.taskmanagers[0].pid)
    os.kill(writer, signal.SIGKILL)
    assert cluster.jobs.wait(job, timeout=300) == "FINISHED"

    # Phase 3: one file of each attempt, every row once.
    listing = list_table(server.client(), table)
    files = [server.client().get_object(Bucket="lake", Key=each.key)["Body"].read() for each in listing.data]
    ids = [json.loads(line)["id"] for each in files for line in each.splitlines()]
    assert sorted(ids) == list(range(1, rows + 1)), "each row once"
    assert len(files) == 2, f"one file an attempt, not one a checkpoint: {[each.key for each in listing.data]}"
    assert not listing.uploads, "small files need no upload"
