"""One job with tables that use the options between them, and what a test can see of each: files, announcements, requests of its writers."""

import hashlib
import io
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from partition_bridge.audit import ObjectEntry, TablePath, audit
from partition_bridge.audit.listing import Listing, list_table
from partition_bridge.audit.rows import read_rows
from tests.integration.jobs import Job
from tests.integration.lake import BRIDGE, BUCKET, Lake, Table
from tests.integration.stage import NO_CHECKPOINTS_BY_THEMSELVES
from tests.support.recording_writer import Record, Sent
from tests.support.rest import RestFailed

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

EXTRACTOR = "io.partitionbridge.extractors.LetterTime"
POLICY = "io.partitionbridge.policies.RecordingPolicy"
FORMATS = {"arrow": "parquet", "host": "json"}
FILE_SIZE = 6 << 20
PART_SIZE = 5 << 20
FAT = 70_016
"""Bytes of a row of 'a' in the tables whose files are large."""

HOURS = ("05", "06")
ROWS_AN_HOUR = 300
LETTERS = ("a", "b", None)

SOURCE = """
CREATE TEMPORARY TABLE fed (id BIGINT, ts TIMESTAMP(3), p STRING, WATERMARK FOR ts AS ts) WITH (
  'connector' = 'filesystem-bridge', 'path' = '{path}', 'format' = 'csv', 'csv.null-literal' = '-',
  'source.monitor-interval' = '100 ms'
);
"""
"""Read by the bridge's factory, whose source is Flink's: each file that comes later is read, too."""


@dataclass
class Written:
    """A table of the job, by its SQL name. `encoder` is what must have encoded it."""

    table: Table
    name: str
    encoder: str
    query: str
    keys: tuple[str, ...]
    record: Record
    default_partition: str = "__DEFAULT_PARTITION__"
    success_file: str = "_SUCCESS"

    @property
    def path(self) -> TablePath:
        return replace(self.table.path, partition_keys=self.keys, success_file=self.success_file)

    @cached_property
    def client(self) -> "S3Client":
        """One for all files: to make a client takes longer than to read what a test looks at."""
        return self.table.server.client()

    def listing(self) -> Listing:
        return list_table(self.client, self.path)

    @cached_property
    def files(self) -> list[ObjectEntry]:
        """The data files at the end of the job. All are the bridge's, and encoded by what the table's options ask for."""
        found = self.listing().data
        assert found, f"{self.name} has files of the bridge"
        by = {self.encoded_by(each) for each in found}
        assert by == {self.encoder}, f"{self.name} is encoded by {self.encoder}"
        assert self.record.start(self.name)["encoder"] == self.encoder, "and the writers were started for that"
        return found

    def encoded_by(self, entry: ObjectEntry) -> str:
        """What the file itself says: only pyarrow signs as Arrow, and it writes nothing but Parquet."""
        body = self.client.get_object(Bucket=BUCKET, Key=entry.key)["Body"].read()
        if not body.startswith(b"PAR1"):
            return "host"
        return "arrow" if pq.read_metadata(io.BytesIO(body)).created_by.startswith("parquet-cpp-arrow") else "host"

    def by_partition(self) -> dict[str, list[str]]:
        """Names of the files of each partition path."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for each in self.files:
            found[each.partition].append(each.key.rpartition("/")[2])
        return dict(found)

    def sent(self) -> list[Sent]:
        """Requests of the table's writers."""
        return self.record.sent(self.name)

    def data_requests(self) -> list[Sent]:
        """Those that bring a data file's bytes."""
        return [each for each in self.sent() if (each.is_part or each.is_put) and "/_conditional-" not in each.key]

    def ended_by_size(self) -> list[int]:
        """Bytes of the files that have ended, in the order of their keys: only a file's last part is smaller than the others."""
        parts: defaultdict[str, list[int]] = defaultdict(list)
        for each in self.data_requests():
            parts[each.key].append(each.size)
        return [sum(sizes) for _, sizes in sorted(parts.items()) if len(sizes) > 1 and min(sizes) < PART_SIZE]


@dataclass
class Options:
    """The tables, their source and the job that fills them all: rows come when a test feeds them, checkpoints when it asks."""

    lake: Lake
    folder: Path
    tables: dict[str, Written] = field(default_factory=dict)
    fed: list[tuple[int, str, str | None]] = field(default_factory=list)
    operators: str = ""
    missed: list[str] = field(default_factory=list)
    """What was waited for and didn't come, with what Flink says of it."""

    before_any_checkpoint: dict[str, list[Sent]] = field(default_factory=dict)
    ended_by_size_before_any_checkpoint: dict[str, list[int]] = field(default_factory=dict)
    announced_on_the_way: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.inbox = self.folder / "inbox"
        self.inbox.mkdir(parents=True)
        self.record = Record(self.folder / "record")
        self.calls = self.folder / "calls"
        self.python = self.record.interpreter()
        self.job: Job | None = None

    def add(self, name: str, encoder: str, options: Mapping[str, str], *, fat: bool = False, hours: bool = False) -> None:
        """A table partitioned by letter or, if `hours`, by day and hour; `fat` rows are large ones."""
        every = {"format": FORMATS[encoder], "python.executable": self.python, "sink.parallelism": "1"}
        value = f"REPEAT(MD5(CAST(id AS STRING)), IF(p = 'a', {FAT // 32}, 1))" if fat else "CONCAT('v', CAST(id AS STRING))"
        keys, by = (("d", "h"), "DATE_FORMAT(ts, 'yyyyMMdd'), DATE_FORMAT(ts, 'HH')") if hours else (("p",), "p")
        columns = "id BIGINT, v STRING, " + ", ".join(f"{key} STRING" for key in keys)
        table = Table(self.lake.server, self.lake.folder(), columns, ", ".join(keys), BRIDGE, {**every, **options})
        self.tables[name] = Written(
            table,
            name,
            encoder,
            f"SELECT id, {value}, {by} FROM fed",
            keys,
            self.record,
            options.get("partition.default-name", "__DEFAULT_PARTITION__"),
            options.get("sink.partition-commit.success-file.name", "_SUCCESS"),
        )

    def starts(self, more_tables: str = "", more_inserts: tuple[str, ...] = ()) -> None:
        """Submit the job. What is more is DDL and INSERTs of tables that aren't the bridge's."""
        ddl = SOURCE.format(path=self.inbox.as_uri()) + more_tables
        ddl += "".join(each.table.ddl.replace("TABLE sink", f"TABLE {name}") for name, each in self.tables.items())
        inserts = [*(f"INSERT INTO {name} {each.query}" for name, each in self.tables.items()), *more_inserts]
        settings = {"parallelism.default": "1", "restart-strategy.type": "none", **NO_CHECKPOINTS_BY_THEMSELVES}
        statement = "EXECUTE STATEMENT SET BEGIN\n" + ";\n".join(inserts) + ";\nEND"
        try:
            self.job = self.lake.insert(ddl, statement, settings)
        except RestFailed as refused:
            self.missed.append(f"the job was refused: {refused}")
            return
        self.operators = self.job.operators()
        # Ten writer processes start at once.
        running = partial(self.lake.cluster.jobs.running, self.job.id)
        self.comes("all tasks to run", running, timeout=300)

    def comes(self, what: str, look: Callable[[], object], timeout: float) -> None:
        """Wait for it, unless the job is over. What doesn't come is noted, and the job goes on."""
        if self.job is None or self.job.ended():
            self.missed.append(f"{what}: there was no job any more")
            return
        try:
            self.job.waits_for(what, look, timeout)
        except (AssertionError, RestFailed) as vain:
            self.missed.append(str(vain))

    def ends(self) -> None:
        """The job's source is drained, and it finishes."""
        try:
            if self.job is not None and not self.job.ended():
                self.job.stops(drain=True)
        except RestFailed as failed:
            self.missed.append(str(failed))

    def feeds(self, hour: str, rows: int = ROWS_AN_HOUR) -> None:
        """So many rows of an hour, of all letters."""
        first = len(self.fed)
        new = [(number, hour, LETTERS[number % len(LETTERS)]) for number in range(first, first + rows)]
        lines = "".join(f"{number},2024-01-01 {hour}:10:00,{letter or '-'}\n" for number, hour, letter in new)
        hidden = self.inbox / ".being-written"
        hidden.write_text(lines)
        hidden.replace(self.inbox / f"{first:06}.csv")
        self.fed += new

    def one_row_more_ends(self, name: str, hour: str) -> Callable[[], list[int]]:
        """Feeds a row of each letter at each look, until a file of the table has ended by its size."""

        def look() -> list[int]:
            ended = self.ended_by_size_before_any_checkpoint[name] = self.tables[name].ended_by_size()
            if not ended:
                self.feeds(hour, len(LETTERS))
            return ended

        return look

    def all_visible(self, *names: str) -> bool:
        """Whether after one more checkpoint all fed rows of these tables are."""
        self._checkpoint()
        return all(self._shows_all(name) for name in names)

    def _shows_all(self, name: str) -> bool:
        table = self.tables[name]
        read, broken = read_rows(table.client, BUCKET, table.listing().data, table.default_partition, table.path.data_format)
        return not broken and read is not None and read.num_rows == len(self.fed)

    def announced(self, partitions: Mapping[str, str]) -> bool:
        """Whether after one more checkpoint these partitions are, by table; of the tables that are there."""
        self._checkpoint()
        there = {name: partition for name, partition in partitions.items() if name in self.tables}
        return all(partition in self.tables[name].listing().success for name, partition in there.items())

    def _checkpoint(self) -> None:
        assert self.job is not None, "only a job that runs is waited for"
        self.job.takes_checkpoint()

    def audits(self, name: str) -> None:
        """The whole audit of one table."""
        written = self.tables[name]
        fat = "REPEAT" in written.query
        columns = {
            "id": pa.array([number for number, *_ in self.fed], pa.int64()),
            "v": pa.array([fat_value(number, letter) if fat else f"v{number}" for number, _, letter in self.fed], pa.string()),
        }
        values = {
            "p": [letter for *_, letter in self.fed],
            "d": ["20240101" for _ in self.fed],
            "h": [hour for _, hour, _ in self.fed],
        }
        columns |= {key: pa.array(values[key], pa.string()) for key in written.keys}
        announced = {each.partition for each in written.files}
        audit(
            written.client,
            written.path,
            pa.table(columns),
            committed=announced,
            default_partition=written.default_partition,
        )


def fat_value(number: int, letter: str | None) -> str:
    """As the query has it."""
    return hashlib.md5(str(number).encode()).hexdigest() * (FAT // 32 if letter == "a" else 1)
