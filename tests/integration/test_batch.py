"""Batch inserts: each kind leaves what Flink's own sink leaves, and no failure on the way shows in the end (docs/batch.md)."""

import io
import re
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from tests.integration.jobs import Job
from tests.integration.lake import BRIDGE, BUCKET, STOCK, Lake, Table
from tests.integration.rows import Rows

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

BATCH = {"execution.runtime-mode": "batch", "parallelism.default": "1"}
COLUMNS = "id BIGINT, v STRING, p STRING, q STRING"
ROWS = "SELECT id, MD5(CAST(id AS STRING)) AS v, IF(MOD(id, 2) = 0, 'a', 'x/y') AS p, IF(MOD(id, 3) = 2, CAST(NULL AS STRING), CAST(MOD(id, 3) AS STRING)) AS q FROM numbers"
NUMBERS = """CREATE TEMPORARY TABLE numbers (id BIGINT) WITH ('connector' = 'datagen', 'number-of-rows' = '1000',
  'fields.id.kind' = 'sequence', 'fields.id.start' = '0', 'fields.id.end' = '999');
"""
OLDER_UUID = "70627269-0000-8000-8000-000000000000"
OLD = ("part-old", "_SUCCESS", ".hidden", "_draft/part-old", "below/part-old", "below/_SUCCESS")
"""What earlier jobs and people have left in a folder."""
FLINKS_NAME = re.compile(r"part-[0-9a-f-]{36}-task-(?P<task>\d+)-file-(?P<file>\d+)")
OUR_NAME = re.compile(FLINKS_NAME.pattern + "-[0-9a-f]{8}")


@dataclass(frozen=True)
class Case:
    """An INSERT into a table that has old objects in `old`, folders below its path."""

    statement: str
    partition: str = "p, q"
    columns: str = COLUMNS
    old: tuple[str, ...] = ("p=a/q=0/", "p=a/q=9/", "p=x%2Fy/q=1/")
    options: dict[str, str] = field(default_factory=dict)


CASES = {
    "plain": Case(f"INSERT INTO sink {ROWS}", partition="", old=("",)),
    "plain-overwrite": Case(f"INSERT OVERWRITE sink {ROWS}", partition="", old=("",)),
    "plain-overwrite-no-rows": Case(f"INSERT OVERWRITE sink {ROWS} WHERE id < 0", partition="", old=("",)),
    "plain-no-rows": Case(f"INSERT INTO sink {ROWS} WHERE id < 0", partition="", old=("",)),
    "dynamic": Case(f"INSERT INTO sink {ROWS}"),
    "dynamic-overwrite": Case(f"INSERT OVERWRITE sink {ROWS}"),
    "dynamic-overwrite-no-rows": Case(f"INSERT OVERWRITE sink {ROWS} WHERE id < 0"),
    "dynamic-ungrouped": Case(f"INSERT OVERWRITE sink SELECT * FROM ({ROWS}) ORDER BY id LIMIT 100"),
    "static-overwrite": Case(f"INSERT OVERWRITE sink PARTITION (p = 'a', q = '0') SELECT id, v FROM ({ROWS})"),
    "static-overwrite-no-rows": Case(
        f"INSERT OVERWRITE sink PARTITION (p = 'a', q = '0') SELECT id, v FROM ({ROWS}) WHERE id < 0"
    ),
    "half-static-overwrite": Case(f"INSERT OVERWRITE sink PARTITION (p = 'a') SELECT id, v, q FROM ({ROWS})"),
    "half-static-overwrite-no-rows": Case(
        f"INSERT OVERWRITE sink PARTITION (p = 'a') SELECT id, v, q FROM ({ROWS}) WHERE id < 0"
    ),
    "static-date": Case(
        "INSERT INTO sink PARTITION (d = '2020-05-04') SELECT id FROM numbers", "d", "id BIGINT, d DATE", old=("d=2020-05-04/",)
    ),
    "dynamic-date": Case("INSERT INTO sink SELECT id, DATE '2020-05-04' FROM numbers", "d", "id BIGINT, d DATE", old=()),
    "aggregate": Case(f"INSERT INTO sink SELECT MIN(id), v, p, q FROM ({ROWS}) GROUP BY v, p, q"),
    "json": Case(f"INSERT OVERWRITE sink {ROWS}", options={"format": "json"}),
    "metastore": Case(f"INSERT INTO sink {ROWS}", options={"sink.partition-commit.policy.kind": "metastore,success-file"}),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_leaves_what_flinks_sink_leaves(lake: Lake, tmp_path: Path, case: Case) -> None:
    """The same statement by both sinks: folders, rows, announcements, calls of policies, and what is left of older objects."""
    client = lake.server.client()
    tables = {name: _Folder(client, f"{lake.folder()}-{name}") for name in (BRIDGE, STOCK)}
    script = NUMBERS
    for connector, folder in tables.items():
        for place in case.old:
            folder.put_old(place)
        script += folder.ddl(connector, case, tmp_path)
    both = [case.statement.replace(" sink ", f" {'bridged' if connector == BRIDGE else 'stock'} ") for connector in tables]
    session = lake.session(BATCH)
    session.script(script)
    job = lake.watch(session.execute("EXECUTE STATEMENT SET BEGIN " + "; ".join(both) + "; END"))
    job.finishes(timeout=240)
    ours, theirs = tables[BRIDGE], tables[STOCK]
    assert ours.rows() == theirs.rows(), "each folder has the same rows in as many files"
    assert ours.others() == theirs.others(), "of older objects the same is left, and the same partitions are announced"
    assert calls(tmp_path, BRIDGE) == calls(tmp_path, STOCK), "the same policies have been called"
    names = [OUR_NAME.fullmatch(each) for each in ours.names()]
    assert all(names), "named as Flink's batch files, with digits of the attempt"
    assert all(FLINKS_NAME.fullmatch(each) for each in theirs.names())
    assert not ours.uploads(), "no upload is left"


MULTIPART = {"sink.upload.inline-threshold": "0 b", "sink.upload.part-size": "5 mb", "sink.commit.concurrency": "1"}
"""Every file is a multipart upload, and they are completed one by one, so that a kill finds some of them done."""
COMMITTER_POINTS = (
    "insert-before-list",
    "insert-listed",
    "insert-removed",
    "commit-before-complete",
    "commit-after-complete",
    "insert-completed",
    "insert-before-end",
    "insert-after-end",
)


def source(rows: Rows) -> str:
    """The rows' numbers as a bounded table."""
    return NUMBERS.replace("'1000'", f"'{rows.count}'").replace("'999'", f"'{rows.count - 1}'")


def overwrites(lake: Lake, rows: Rows, table: Table, *, parallelism: int = 2) -> Job:
    """Submit INSERT OVERWRITE of `rows`; each of its partitions has a file and an announcement of older times."""
    client = lake.server.client()
    for path in rows.paths():
        for name in (f"part-{OLDER_UUID}-0-0", "_SUCCESS"):
            client.put_object(Bucket=BUCKET, Key=f"{table.name}/{path}{name}", Body=b"old")
    settings = {**BATCH, "parallelism.default": str(parallelism)}
    return lake.insert(source(rows) + table.ddl, f"INSERT OVERWRITE sink {rows.query}", settings)


def nothing_half_done_is_announced(table: Table) -> None:
    """A partition that has lost an old file, or got a new one, has no announcement."""
    listing = table.listing()
    for partition in listing.success:
        files = [each.key.rpartition("/")[2] for each in listing.data if each.partition == partition]
        assert files == [f"part-{OLDER_UUID}-0-0"], f"{partition} is announced with its old file only"


@pytest.mark.parametrize("point", COMMITTER_POINTS)
def test_committer_killed(lake: Lake, point: str) -> None:
    """The committer's process dies at each of its steps: its rerun goes on, and the partitions end with the new rows, once."""
    rows = Rows(3_000)
    table = lake.table(rows, MULTIPART)
    with lake.faults.hold(point) as reached:
        job = overwrites(lake, rows, table)
        held = reached()
        if not point.endswith("-end"):
            nothing_half_done_is_announced(table)
        if point == "commit-after-complete":
            assert 0 < len(table.listing().data) < 6, "some files of two subtasks and three partitions are visible, others aren't"
        failures = job.failures()
        job.kills(held).fails_over(failures, running=False)
    job.finishes(timeout=240)
    table.audit(rows.expected(), rows.paths())


def test_writer_killed_with_an_open_upload(lake: Lake) -> None:
    """A writer dies: its task runs again with uploads of its own, and only the entries of this run count."""
    rows = Rows(3_000)
    table = lake.table(rows, MULTIPART)
    with lake.faults.hold("after-part") as reached:
        job = overwrites(lake, rows, table)
        job.kill_writer(reached())
    job.finishes(timeout=240)
    assert table.remove_orphans() > 0, "the orphan tool finds what the killed writer has left"
    table.audit(rows.expected(), rows.paths())


@pytest.mark.parametrize("point", [pytest.param("commit-after-complete", marks=pytest.mark.thorough), "insert-after-end"])
def test_taskmanager_killed(lake: Lake, point: str) -> None:
    """The committer dies together with what the writers have handed over, so these run again: half of the commit is done, or all."""
    rows = Rows(3_000)
    table = lake.table(rows, MULTIPART)
    with lake.faults.hold(point) as reached:
        job = overwrites(lake, rows, table)
        reached()
        before = {each.key for each in table.listing().data}
        failures = job.failures()
        lake.kill_taskmanager()
        job.fails_over(failures, running=False)
    # A TaskManager's start, and Flink finds out one by one which results are lost.
    job.finishes(timeout=360)
    after = {each.key for each in table.listing().data}
    if point == "commit-after-complete":
        assert before < after, "the list of the first attempt holds"
    else:
        assert not before & after, "the list was gone: the rerun has replaced the files of the first attempt"
    table.audit(rows.expected(), rows.paths())


def test_policy_that_fails(lake: Lake, tmp_path: Path) -> None:
    """A policy throws: the committer runs again, completes nothing twice and calls the policies of all partitions."""
    rows = Rows(3_000)
    failing = {
        "sink.partition-commit.policy.kind": "custom,success-file",
        "sink.partition-commit.policy.class": "io.partitionbridge.policies.FailingOncePolicy",
        "sink.partition-commit.policy.class.parameters": f"{tmp_path}/failed",
    }
    table = lake.table(rows, {**MULTIPART, **failing})
    job = overwrites(lake, rows, table)
    job.finishes(timeout=240)
    assert "the metastore is away" in job.causes
    table.audit(rows.expected(), rows.paths())


def test_custom_policy_is_told_the_table(lake: Lake, tmp_path: Path) -> None:
    """Flink's batch sink can't tell a policy the table's name; the bridge can. The caller is Flink's class."""
    rows = Rows(300)
    calls = tmp_path / "calls"
    recording = {
        "sink.partition-commit.policy.kind": "custom,success-file",
        "sink.partition-commit.policy.class": "io.partitionbridge.policies.RecordingPolicy",
        "sink.partition-commit.policy.class.parameters": f"{calls};a mark",
    }
    table = lake.table(rows, recording)
    overwrites(lake, rows, table).finishes()
    table.audit(rows.expected(), rows.paths())
    lines = [line.split("\t") for line in calls.read_text().splitlines()]
    assert sorted((name, value) for _, name, value, _ in lines) == [("sink", "0"), ("sink", "1"), ("sink", "2")]
    assert "org.apache.flink.connector.file.table.PartitionLoader@flink-connector-files" in lines[0][3]


def test_slow_writer_is_overtaken(lake: Lake) -> None:
    """Speculative execution: a second attempt of a stuck writer ends first, and nothing that the first one wrote becomes visible."""
    rows = Rows(3_000)
    table = lake.table(rows, MULTIPART)
    point = "barrier-before-ready"
    with ExitStack() as held:
        with lake.faults.hold(point) as reached:
            job = overwrites(lake, rows, table)
            slow = reached()
            held.enter_context(lake.faults.hold_only(point, slow))
        job.waits_for("the commit of the faster attempt", lambda: lake.faults.reached("insert-listed"))
    job.finishes(timeout=240)
    assert slow in {each.pid for each in lake.faults.reached(point)}, "one writer was stuck at the end of its input"
    assert len(lake.faults.reached(point)) == 3, "of two subtasks one has had a second attempt"
    assert job.failures() == 0, "and no attempt has failed"
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())


def calls(folder: Path, connector: str) -> list[str]:
    """What the policies of a table have written down."""
    log = folder / connector
    return sorted(log.read_text().splitlines()) if log.exists() else []


@dataclass
class _Folder:
    """A table's folder, of either sink."""

    client: "S3Client"
    name: str

    def ddl(self, connector: str, case: Case, logs: Path) -> str:
        options = {
            "connector": connector,
            "path": f"s3://{BUCKET}/{self.name}",
            "format": "parquet",
            "sink.partition-commit.policy.kind": "custom,success-file",
            "sink.partition-commit.policy.class": "io.partitionbridge.policies.PathPolicy",
            "sink.partition-commit.policy.class.parameters": str(logs / connector),
            **({"sink.fallback": "forbid"} if connector == BRIDGE else {}),
            **case.options,
        }
        table = "bridged" if connector == BRIDGE else "stock"
        partitioned = f"PARTITIONED BY ({case.partition}) " if case.partition else ""
        given = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
        return f"CREATE TEMPORARY TABLE {table} ({case.columns}) {partitioned}WITH ({given});\n"

    def put_old(self, place: str) -> None:
        for name in OLD:
            self.client.put_object(Bucket=BUCKET, Key=f"{self.name}/{place}{name}", Body=b"old")

    def keys(self) -> list[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{self.name}/")
        found = [item["Key"].removeprefix(f"{self.name}/") for page in pages for item in page.get("Contents", [])]
        return [key for key in found if not key.endswith("/")]

    def new(self) -> list[str]:
        return [key for key in self.keys() if FLINKS_NAME.match(key.rpartition("/")[2])]

    def names(self) -> list[str]:
        return [key.rpartition("/")[2] for key in self.new()]

    def others(self) -> list[str]:
        return sorted(set(self.keys()) - set(self.new()))

    def rows(self) -> dict[str, list[list[str]]]:
        """By folder, the rows of each file."""
        found: dict[str, list[list[str]]] = {}
        for key in self.new():
            body = self.client.get_object(Bucket=BUCKET, Key=f"{self.name}/{key}")["Body"].read()
            rows = body.splitlines() if body.startswith(b"{") else pq.read_table(io.BytesIO(body)).to_pylist()
            found.setdefault(key.rpartition("/")[0], []).append(sorted(str(row) for row in rows))
        return {folder: sorted(files) for folder, files in found.items()}

    def uploads(self) -> list[str]:
        page = self.client.list_multipart_uploads(Bucket=BUCKET, Prefix=f"{self.name}/")
        return [item["Key"] for item in page.get("Uploads", [])]
