"""One file of DDL, run before and after `partition-bridge install --takeover`: a user changes nothing else, and finds the same."""

import hashlib
import io
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from string import Template

import pytest
from pyarrow.orc import ORCFile

from partition_bridge.install.flink_home import FACTORIES, find_flink_home
from partition_bridge.install.takeover import FLINKS_FACTORY, OUR_FACTORY, Takeover, release, take_over, takeover
from tests.matrix.lines import LINES
from tests.support.flink import ROOT, FlinkCluster, s3_config
from tests.support.flink_homes import make_flink_home
from tests.support.rest import SqlGateway
from tests.support.servers import S3Server

BUCKET = "takeover"
DDL = Template(Path(__file__).with_name("takeover.sql").read_text())
BATCH = ("parquet_days", "parquet_whole", "csv_days", "avro_days", "orc_days", "json_days", "debezium_days", "raw_days")
STREAMING = ("parquet_stream", "avro_stream", "orc_stream")
"""Of the others Flink's own sink can't complete a file on a store with folders, such as this one: what is written of a file that is
flushed on the way (csv) or goes on over checkpoints (json, raw, the CDC formats) s3-fs-native keeps as side objects below the object's own
key, `<key>/.incomplete/…`, and the completion is answered by an error. They're compared in batch.
"""

RAW = "COALESCE(v, 'none'), `day`"
"""The raw format takes no NULL, in neither connector."""

OURS = "part-70627269-"

MANY_EXCHANGES = {"taskmanager.memory.network.min": "256m", "taskmanager.memory.network.max": "256m"}
"""Eight batch sinks in one job: each of the bridge's has an exchange between its writers and its committer."""

Result = tuple[list[list[object]], set[str]]


@pytest.fixture(scope="module")
def bare(server: S3Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlinkCluster]:
    """A Flink of its own, as a user has it before anything of the bridge is installed."""
    server.create_bucket(BUCKET)
    cluster = FlinkCluster(tmp_path_factory.mktemp("flink-of-a-user"), config={**s3_config(server), **MANY_EXCHANGES})
    with cluster:
        yield cluster


def partition_bridge(cluster: FlinkCluster, *arguments: str) -> str:
    """The command, for this Flink; what it has printed. It must end well."""
    command = [sys.executable, "-m", "partition_bridge.cli", *arguments, "--flink-home", str(cluster.folder)]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def checksum(cluster: FlinkCluster) -> str:
    """SHA-256 of the jar that answers to 'filesystem'."""
    (connector,) = (cluster.folder / "lib").glob("flink-connector-files-*.jar")
    return hashlib.sha256(connector.read_bytes()).hexdigest()


def runs(cluster: FlinkCluster, server: S3Server, folder: str) -> dict[str, Result]:
    """Run the file, fill all tables, read them back by Flink: rows in order, and the partitions that are announced."""
    with SqlGateway(cluster.sql.base) as sql:
        for key, value in {"table.local-time-zone": "UTC", "parallelism.default": "1", "restart-strategy.type": "none"}.items():
            sql.execute(f"SET '{key}' = '{value}'")
        sql.script(DDL.substitute(path=f"s3://{BUCKET}/{folder}"))
        for mode, tables in (("batch", BATCH), ("streaming", STREAMING)):
            sql.execute(f"SET 'execution.runtime-mode' = '{mode}'")
            sql.execute("SET 'execution.checkpointing.interval' = '1 s'")
            inserts = [f"INSERT INTO {each} SELECT {RAW if each.startswith('raw') else '*'} FROM readings" for each in tables]
            answer = sql.execute("EXECUTE STATEMENT SET BEGIN\n" + ";\n".join(inserts) + ";\nEND")
            cluster.jobs.wait(str(answer[0][0]), frozenset({"FINISHED"}), timeout=600)
        sql.execute("SET 'execution.runtime-mode' = 'batch'")
        readers = {"orc": partial(orc, server, folder), "debezium": partial(lines, server, folder)}
        found = {each: readers.get(each.partition("_")[0], partial(rows, sql))(each) for each in (*BATCH, *STREAMING)}
        return {name: (content, announced(server, folder, name)) for name, content in found.items()}


def rows(sql: SqlGateway, table: str) -> list[list[object]]:
    """All rows as Flink reads them, in an order that doesn't depend on files."""
    return sorted(sql.rows(f"SELECT * FROM {table}"), key=repr)


def keys(server: S3Server, folder: str, table: str) -> list[str]:
    """Keys of everything under the table's path, but the marks of folders."""
    found = server.client().list_objects_v2(Bucket=BUCKET, Prefix=f"{folder}/{table}/").get("Contents", [])
    return [str(each["Key"]) for each in found if not str(each["Key"]).endswith("/")]


def data_files(server: S3Server, folder: str, table: str) -> list[str]:
    """Keys of the table's data objects."""
    return [key for key in keys(server, folder, table) if key.rpartition("/")[2].startswith("part-")]


def announced(server: S3Server, folder: str, table: str) -> set[str]:
    """The success files, by partition."""
    others = set(keys(server, folder, table)) - set(data_files(server, folder, table))
    return {key.removeprefix(f"{folder}/") for key in others}


def orc(server: S3Server, folder: str, table: str) -> list[list[object]]:
    """All rows of an ORC table: Flink's own reader goes past Flink's file systems, and so can't read S3."""
    client, read = server.client(), []
    for key in data_files(server, folder, table):
        body = client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        read += [[*row.values(), key.split("/")[2]] for row in ORCFile(io.BytesIO(body)).read().to_pylist()]
    return sorted(read, key=repr)


def lines(server: S3Server, folder: str, table: str) -> list[list[object]]:
    """All lines of a table of changes, each with its partition: a batch query of Flink's reads none that may have updates."""
    client, found = server.client(), list[tuple[str, str]]()
    for key in data_files(server, folder, table):
        body = client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        found += [(line, key.split("/")[2]) for line in body.decode().splitlines()]
    return [[*each] for each in sorted(found)]


@pytest.mark.timeout(1_800)
def test_the_same_ddl_before_and_after_a_takeover(bare: FlinkCluster, server: S3Server) -> None:
    """Eleven tables, batch and streaming, all formats: rows and announcements are the same, and then the bridge has written them."""
    original = checksum(bare)
    before = runs(bare, server, "before")
    assert {len(found) for name, (found, _) in before.items() if not name.startswith("raw")} == {600}, (
        "Flink's own sink has written all rows"
    )

    bare.stop()
    said = partition_bridge(bare, "install", "--takeover")
    assert "taken over" in said
    assert checksum(bare) != original
    bare.start()
    after = runs(bare, server, "after")

    for name, theirs in before.items():
        assert after[name] == theirs, f"{name}: the same rows are read, and the same partitions announced"
        assert data_files(server, "before", name), "Flink's own sink has written files"
        assert not any(OURS in key for key in data_files(server, "before", name))
        ours = data_files(server, "after", name)
        assert ours, f"{name} has data files"
        assert all(OURS in key for key in ours), f"{name}: the bridge has written every file: {ours}"

    partition_bridge(bare, "uninstall")
    assert checksum(bare) == original, "Flink's own jar is back, byte for byte"
    assert not list((bare.folder / "lib").glob("flink-partition-bridge-*")), "and nothing of ours is left"


@pytest.mark.parametrize("version", LINES)
def test_the_connectors_of_older_lines_come_back(tmp_path: Path, version: str) -> None:
    """Flink's own jars of the other lines that the shim is built for: one name in one entry changes, and then they're as they were."""
    home = find_flink_home(make_flink_home(tmp_path / "flink", version))
    connector = home.lib / f"flink-connector-files-{version}.jar"
    shutil.copy(ROOT / "build" / "flink-connectors" / connector.name, connector)
    original, before = connector.read_bytes(), entries(connector)

    take_over(home)
    after = entries(connector)
    assert takeover(home) is Takeover.BRIDGE, "the bridge answers to 'filesystem'"
    changed = {name for name, content in after.items() if content != before[name]}
    assert (list(after), changed) == (list(before), {FACTORIES}), "nothing else is touched"
    assert after[FACTORIES] == before[FACTORIES].replace(FLINKS_FACTORY.encode(), OUR_FACTORY.encode())

    release(home)
    assert connector.read_bytes() == original, "byte for byte"


def entries(jar: Path) -> dict[str, bytes]:
    """What is in it, in its order."""
    with zipfile.ZipFile(jar) as opened:
        return {name: opened.read(name) for name in opened.namelist()}
