"""A stage on which a test directs each event: a watched folder as source, gates in the tasks, and a table of one of the two connectors.

A test says when rows and watermarks come (`feeds`), when a checkpoint is taken (there are none of their own) and where a
task waits or fails. So each scenario has one order of events, on a slow machine too.
"""

import itertools
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa

from partition_bridge.audit.rows import read_rows
from tests.integration.faults import wait_for
from tests.integration.gates import Gates
from tests.integration.jobs import Job
from tests.integration.lake import BRIDGE, BUCKET, Lake, Table
from tests.support.rest import Json

COLUMNS = "id BIGINT, v STRING, p STRING"
NO_CHECKPOINTS_BY_THEMSELVES = {
    "execution.checkpointing.interval": "3650 d",
    # Flink begins at once when a task has been late to run, or has failed, but for a pause that it has to keep.
    "execution.checkpointing.min-pause": "365 d",
}
IGNORING = {"execution.state-recovery.ignore-unclaimed-state": "true"}
"""`--allowNonRestoredState` of the command line."""

BY_TIME = {"sink.partition-commit.trigger": "partition-time", "sink.partition-commit.delay": "1 d"}
GATED = {
    "sink.partition-commit.policy.kind": "custom,success-file",
    "sink.partition-commit.policy.class": "io.partitionbridge.gates.GatedPolicy",
}

Numbers = Sequence[int]


def path_of(partition: str) -> str:
    """Partition path of a value of p."""
    return f"p={quote(partition, safe=' -')}/"


@dataclass
class Stage:
    """A table of `connector` and what is fed to it. `on_disk` has Flink's own sink write to a folder instead of the store."""

    lake: Lake
    connector: str
    folder: Path
    options: Mapping[str, str] = field(default_factory=dict)
    on_disk: bool = False

    _names = itertools.count()

    def __post_init__(self) -> None:
        self.is_flinks = self.connector != BRIDGE
        self.gates = Gates(self.folder / "gates")
        self.watched = self.folder / "watched"
        self.watched.mkdir()
        self.rows: list[tuple[int, str]] = []
        self._marks = itertools.count(1)
        self._files = itertools.count()
        given = dict(self.options)
        if GATED.items() <= given.items():
            given["sink.partition-commit.policy.class.parameters"] = str(self.gates.folder)
        if self.is_flinks and self.on_disk:
            given["path"] = (self.folder / "table").as_uri()
        name = f"hazard{next(self._names)}"
        self.table = Table(self.lake.server, name, COLUMNS, connector=self.connector, options=given)
        self._zoned = False
        self.job: Job

    # The job

    def starts(
        self,
        *,
        source: int = 1,
        writers: int = 2,
        bounded: bool = False,
        zoned: bool = False,
        beside: Table | None = None,
        also: tuple[str, str] | None = None,
        settings: Mapping[str, str] | None = None,
        savepoint: str | None = None,
    ) -> Job:
        """Submit the INSERT. With `source` = `writers` each writer is in one task with its source.

        `zoned` has times with a zone; the rows go into the table `beside`, too. `also` is DDL and one more INSERT of the same job.
        """
        self._zoned = zoned
        self.table.options["sink.parallelism"] = str(writers)
        watch = "" if bounded else ", 'source.monitor-interval' = '50 ms'"
        time = "TIMESTAMP_LTZ(3)" if zoned else "TIMESTAMP(3)"
        tables = (
            f"CREATE TEMPORARY TABLE watched (id BIGINT, ts {time}, p STRING, WATERMARK FOR ts AS ts) WITH ("
            f"'connector' = 'filesystem', 'path' = '{self.watched.as_uri()}', 'format' = 'csv'{watch});\n"
            "CREATE TEMPORARY FUNCTION gate AS 'io.partitionbridge.gates.RowGate' LANGUAGE JAVA"
            f" USING JAR '{self.lake.policies}';\n" + self.table.ddl
        )
        query = f"SELECT id, CONCAT('v', CAST(id AS STRING)), p FROM watched WHERE gate(id, '{self.gates.folder}')"
        inserts = [f"INSERT INTO sink {query}"]
        # A cancelled job gives its slots back a moment later, and a job that finds none fails.
        wait_for("free slots", lambda: self.lake.cluster.jobs.free_slots() >= max(source, writers))
        if beside:
            tables += beside.ddl.replace("TABLE sink", "TABLE beside")
            inserts.append(f"INSERT INTO beside {query}")
        if also:
            tables += also[0]
            inserts.append(also[1])
        several = "EXECUTE STATEMENT SET BEGIN\n" + ";\n".join(inserts) + ";\nEND"
        self.job = self.lake.insert(
            tables,
            several if len(inserts) > 1 else inserts[0],
            {
                "parallelism.default": str(source),
                **NO_CHECKPOINTS_BY_THEMSELVES,
                **({"execution.state-recovery.path": savepoint} if savepoint else {}),
                **(settings or {}),
            },
        )
        return self.job.runs()

    def checkpoints(self, count: int = 2) -> None:
        """Take checkpoints one after the other: when number n + 1 is complete, all that n commits is committed."""
        for _ in range(count):
            self.job.takes_checkpoint()

    def asks_for_checkpoint(self, acknowledged: int) -> str:
        """Ask for a checkpoint and wait until so many subtasks have acknowledged it, so that the others have been told; the request."""
        before = int(self.newest_checkpoint()["id"])
        request = self.job.asks_for_checkpoint()

        def is_under_way() -> bool:
            newest = self.newest_checkpoint()
            return int(newest["id"]) > before and int(newest["num_acknowledged_subtasks"]) >= acknowledged

        self.job.waits_for(f"a checkpoint with {acknowledged} acknowledgements", is_under_way)
        return request

    def newest_checkpoint(self) -> Json:
        """As the web interface shows it, complete or not."""
        history = self.lake.cluster.jobs.checkpoints(self.job.id)["history"]
        return max(history, key=lambda each: int(each["id"])) if history else {"id": 0}

    def fails_over(self) -> None:
        """A task throws at a mark, and the job runs again from its last checkpoint."""
        mark = f"row{self._mark()}"
        self.gates.fails(mark)
        seen = self.job.failures()
        self._write([mark])
        self.job.fails_over(seen).waits_for("the mark to be read again", lambda: self.gates.passed(mark))

    # What is fed

    def feeds(self, numbers: Numbers, partition: str, at: str | None = None) -> None:
        """Rows of a partition: of a day at its noon, or `at` a time. Back when the writers' tasks have them and their watermark."""
        mark = self.writes([*self.data(numbers, partition, at)])
        self.job.waits_for(f"rows of {partition} to be read", lambda: self.gates.passed(mark))

    def data(self, numbers: Numbers, partition: str, at: str | None = None) -> list[str]:
        """Lines of a file for `writes`."""
        self.rows += [(number, partition) for number in numbers]
        return [f"{number},{at or f'{partition} 12:00:00'},{partition}" for number in numbers]

    def marks(self, count: int) -> list[str]:
        """Names of so many gates, as lines of a file for `writes`."""
        return [f"row{self._mark()}" for _ in range(count)]

    @staticmethod
    def lingers() -> list[str]:
        """Lines that keep a task busy for minutes while the gates are slow, and for no time else."""
        return [f"row{-(2**63)}"] * 20_000

    def writes(self, lines: list[str]) -> str:
        """A file of the watched folder with a mark at its end; the mark's name."""
        mark = f"row{self._mark()}"
        self._write([*lines, mark])
        return mark

    def _mark(self) -> int:
        return -next(self._marks)

    def _write(self, lines: list[str]) -> None:
        # A watermark of its own, so that a source that has read nothing else holds the others back to there only.
        at = "1970-01-02 00:00:00" + ("Z" if self._zoned else "")
        text = "".join((f"{each.removeprefix('row')},{at},mark" if each.startswith("row") else each) + "\n" for each in lines)
        # The source sees no name that begins with a dot, and renaming shows it the whole file.
        hidden = self.watched / ".being-written"
        hidden.write_text(text)
        hidden.replace(self.watched / f"{next(self._files):04}.csv")

    # What is there

    def success(self) -> dict[str, datetime]:
        """Partition paths with a success file, and when each was written."""
        if self.is_flinks and self.on_disk:
            files = (self.folder / "table").glob("p=*/_SUCCESS")
            return {f"{each.parent.name}/": datetime.fromtimestamp(each.stat().st_mtime, timezone.utc) for each in files}
        return {path: each.modified for path, each in self.table.listing().success.items()}

    def visible(self) -> Counter[int]:
        """How often each row's number is in the data files that a reader sees."""
        if self.is_flinks and self.on_disk:
            files = [each for each in (self.folder / "table").glob("p=*/*") if each.name[0] not in "._"]
            return Counter(json.loads(line)["id"] for each in files for line in each.read_text().splitlines())
        read, broken = read_rows(self.lake.server.client(), BUCKET, self.table.listing().data, "", self.table.path.data_format)
        assert not broken, f"what is visible can be read: {broken}"
        return Counter(read["id"].to_pylist() if read is not None else ())

    def is_committed(self, day: str) -> bool:
        return path_of(day) in self.success()

    def expected(self, rows: Sequence[tuple[int, str]]) -> pa.Table:
        """These rows as the table holds them."""
        numbers, days = [number for number, _ in rows], [day for _, day in rows]
        columns = {"id": pa.array(numbers, pa.int64()), "v": pa.array([f"v{number}" for number in numbers], pa.string())}
        return pa.table({**columns, "p": pa.array(days, pa.string())})

    def audits(self, *, surplus: Sequence[tuple[int, str]] = (), uncommitted: Sequence[str] = ()) -> None:
        """The bridge's table has every row once (and `surplus` once more), and every day's success file but `uncommitted`."""
        days = {day for _, day in self.rows} - set(uncommitted)
        self.table.remove_orphans()
        self.table.audit(self.expected([*self.rows, *surplus]), {path_of(day) for day in days})

    def ends(self, *, surplus: Sequence[tuple[int, str]] = ()) -> None:
        """Drain the job; on the bridge, audit, with `surplus` there once more."""
        self.job.stops(drain=True)
        if not self.is_flinks:
            self.audits(surplus=surplus)
