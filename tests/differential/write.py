"""One job of many tables: the same source files through Flink's `filesystem` sink and through `filesystem-bridge`."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.differential.stage import Stage
from tests.differential.tables import CDC, Columns, Table
from tests.integration.lake import BRIDGE, BUCKET, ONLY_BRIDGE, STOCK, Lake
from tests.support.rest import RestFailed

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

SIDES = (BRIDGE, STOCK)
ON_DISK = ("csv", "json", "raw", "avro", "orc", *CDC)
"""Formats whose files Flink's s3-fs-native can't complete on a store with directories, or its reader can't read there."""
MODES = ("streaming", "batch")
INTO, OVER = "INTO", "OVERWRITE"
MOST_FAILURES = 20
"""Jobs of one group that may fail on the way to the tables that a sink refuses; beyond it something else is wrong."""
POLICY = "io.partitionbridge.policies.PathPolicy"


@dataclass(frozen=True)
class Place:
    """Where one side's table is: its folder in the bucket or on disk, and where its policy notes its calls."""

    table: Table
    connector: str
    folder: str
    disk: Path
    client: "S3Client"
    python: Path

    @property
    def local(self) -> bool:
        return self.connector == STOCK and self.table.format in ON_DISK

    @property
    def path(self) -> str:
        return (self.disk / self.folder).as_uri() if self.local else f"s3://{BUCKET}/{self.folder}"

    @property
    def calls(self) -> Path:
        return self.disk / f"calls-{self.folder.replace('/', '-')}"

    def options(self) -> dict[str, str]:
        given = {"connector": self.connector, "path": self.path, **self.table.options}
        if "custom" in given.get("sink.partition-commit.policy.kind", ""):
            given |= {
                "sink.partition-commit.policy.class": POLICY,
                "sink.partition-commit.policy.class.parameters": str(self.calls),
            }
        if self.connector == BRIDGE:
            return {"sink.fallback": "forbid", "sink.writer.memory": "64 mb", "python.executable": str(self.python), **given}
        return {key: value for key, value in given.items() if not key.startswith(ONLY_BRIDGE)}

    def ddl(self, name: str) -> str:
        """CREATE TABLE of the sink."""
        keys = ", ".join(f"`{key}`" for key, _ in self.table.partitions)
        partitioned = f" PARTITIONED BY ({keys})" if keys else ""
        columns = (*self.table.data_columns, *self.table.partitions)
        return f"CREATE TEMPORARY TABLE {name} ({declared(columns)}){partitioned} WITH ({with_(self.options())});\n"

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Everything below the table's path: key relative to it, and content."""
        if self.local:
            root = self.disk / self.folder
            for each in root.rglob("*"):
                if each.is_file() and not each.name.endswith(".crc"):
                    yield each.relative_to(root).as_posix(), each.read_bytes()
            return
        for page in self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{self.folder}/"):
            for item in page.get("Contents", []):
                if not item["Key"].endswith("/"):
                    body = self.client.get_object(Bucket=BUCKET, Key=item["Key"])["Body"].read()
                    yield item["Key"].removeprefix(f"{self.folder}/"), body


@dataclass
class Written:
    """What has become of a table: where its two sides are, or why a sink refused it."""

    table: Table
    ours: Place
    theirs: Place
    refused: dict[str, str]

    def move(self, stage: Stage, sides: Collection[str]) -> None:
        """Have the sides begin again in folders that nothing has written to."""
        for name, side in (("ours", BRIDGE), ("theirs", STOCK)):
            if side in sides:
                setattr(self, name, replace(getattr(self, name), folder=f"{stage.lake.folder()}/{name}-{self.table.number}"))


def declared(columns: Columns) -> str:
    """Columns of a CREATE TABLE."""
    return ", ".join(f"`{_quoted(name)}` {kind.sql}" for name, kind in columns)


def with_(options: dict[str, str]) -> str:
    """Options of a CREATE TABLE."""
    quoted = ((key, value.replace("'", "''")) for key, value in options.items())
    return ", ".join(f"'{key}' = '{value}'" for key, value in quoted)


def insert(table: Table, target: str, verb: str) -> str:
    """The INSERT, of that verb, of a table's source, with a cast where JSON can't carry the type."""
    columns = (*table.data_columns, *table.partitions)
    values = ", ".join(
        f"CAST(`{_quoted(name)}` AS {kind.sql.removesuffix(' NOT NULL')})" if kind.cast else f"`{_quoted(name)}`"
        for name, kind in columns
    )
    return f"INSERT {verb} {target} SELECT {values} FROM source_{table.number}"


def source(table: Table, disk: Path, verb: str) -> str:
    """The table's rows as a file, and its DDL."""
    path = disk / f"source-{table.number}-{verb}.json"
    table.source(path, again=verb == OVER)
    columns = (*table.data_columns, *table.partitions)
    carried = ", ".join(f"`{_quoted(name)}` {kind.carrier}" for name, kind in columns)
    options = {"connector": "filesystem", "format": "json", "path": path.as_uri()}
    return f"CREATE TEMPORARY TABLE source_{table.number} ({carried}) WITH ({with_(options)});\n"


def write(stage: Stage, tables: Sequence[Table], mode: str, disk: Path) -> list[Written]:
    """Run all tables through both sinks by one job. If that is refused, by one job for each half, and so on to each side alone.

    In batch mode, another job then puts other rows over those of some tables.
    """
    written = [_places(stage, table, disk) for table in tables]
    failures: list[str] = []
    _run(stage, [(each, side) for each in written for side in SIDES], mode, disk, failures, (INTO,))
    again = [(each, side) for each in written if mode == "batch" and each.table.again and not each.refused for side in SIDES]
    if again:
        _run(stage, again, mode, disk, failures, (OVER,))
    reasons = {why for each in written for why in each.refused.values()}
    assert not (failures and not reasons), "\n".join(["jobs failed, and none of one table alone:", *failures])
    return written


def _places(stage: Stage, table: Table, disk: Path) -> Written:
    run = stage.lake.folder()
    ours, theirs = (
        Place(table, side, f"{run}/{short}-{table.number}", disk, stage.client, stage.python)
        for side, short in zip(SIDES, ("ours", "theirs"), strict=True)
    )
    return Written(table, ours, theirs, {})


def _run(
    stage: Stage, parts: list[tuple[Written, str]], mode: str, disk: Path, failures: list[str], verbs: tuple[str, ...]
) -> None:
    """One job for each verb. What a job that failed has left, and may still be leaving, would be in the way of the next one:
    halves begin again in new folders, with the first rows where it was to be written over them.
    """
    try:
        for verb in verbs:
            _job(stage.lake, parts, mode, disk, verb)
    except RestFailed as failed:
        failures.append(root_cause(str(failed)))
        reason, middle = failures[-1], len(parts) // 2
    else:
        return
    assert len(failures) <= MOST_FAILURES, "\n".join(failures)
    if len(parts) == 1:
        parts[0][0].refused[parts[0][1]] = reason
        return
    for half in (parts[:middle], parts[middle:]):
        for written in {each.table.number: each for each, _ in half}.values():
            written.move(stage, {side for each, side in half if each is written})
        _run(stage, half, mode, disk, failures, (INTO, OVER) if OVER in verbs else verbs)


def _job(lake: Lake, parts: list[tuple[Written, str]], mode: str, disk: Path, verb: str) -> None:
    script, inserts = "", ""
    for table in {written.table.number: written.table for written, _ in parts}.values():
        script += source(table, disk, verb)
    for written, side in parts:
        target = f"{'ours' if side == BRIDGE else 'theirs'}_{written.table.number}"
        script += (written.ours if side == BRIDGE else written.theirs).ddl(target)
        inserts += insert(written.table, target, verb) + ";\n"
    session = lake.session({"execution.runtime-mode": mode, "parallelism.default": "1", "restart-strategy.type": "none"})
    try:
        session.script(script)
        job = lake.watch(session.execute(f"EXECUTE STATEMENT SET BEGIN\n{inserts}END", timeout=600))
    finally:
        session.close()
    job.finishes(timeout=600)
    names = " ".join(str(vertex["name"]) for vertex in job.vertices())
    ours = sum(side == BRIDGE for _, side in parts)
    writers = names.count("BridgeBatchWriter" if mode == "batch" else "BridgeFileWriter")
    assert writers == ours, f"{writers} of the {ours} tables are written by the bridge, the others by Flink's sink: {names}"


def root_cause(text: str) -> str:
    """The last cause in a Java stack trace, in one line."""
    causes = [line for line in text.splitlines() if line.startswith("Caused by: ")]
    return (causes[-1].removeprefix("Caused by: ") if causes else text)[:600]


def _quoted(name: str) -> str:
    return name.replace("`", "``")
