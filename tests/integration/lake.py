"""Tables in a bucket, jobs that write them, and the audit that each test ends with (DESIGN of the bridge, the audit)."""

import io
import itertools
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from partition_bridge.audit import ANY_FILE, BRIDGE_FILE, AuditReport, TablePath, audit
from partition_bridge.audit.listing import Listing, ObjectEntry, list_table
from partition_bridge.orphans import abort, orphans
from partition_bridge.store.protocol import Store
from partition_bridge.store.s3 import open_store
from partition_bridge.store_settings import StoreSettings
from tests.integration.faults import FaultPoints
from tests.integration.jobs import Cluster, Job
from tests.integration.rows import Rows
from tests.support.flink import FlinkCluster
from tests.support.rest import SqlGateway
from tests.support.servers import S3Endpoint, S3Server

if TYPE_CHECKING:
    from typing_extensions import Self

BUCKET = "lake"
BRIDGE = "filesystem-bridge"
STOCK = "filesystem"
MULTIPART = {"sink.upload.inline-threshold": "0 b", "sink.upload.part-size": "5 mb"}
"""Every file is a multipart upload."""

ONLY_BRIDGE = ("sink.file.", "sink.upload.", "sink.writer.", "sink.state.", "sink.fallback", "sink.restore.", "python.")


@dataclass
class Table:
    """A table folder of its own. `columns` and `partition` are DDL; "" as partition for none, "" as an option's value for none, too."""

    server: S3Endpoint
    name: str
    columns: str
    partition: str = "p"
    connector: str = BRIDGE
    options: dict[str, str] = field(default_factory=dict)
    bucket: str = BUCKET

    @property
    def path(self) -> TablePath:
        data_file = BRIDGE_FILE if self.connector == BRIDGE else ANY_FILE
        keys = (self.partition,) if self.partition else ()
        return TablePath(self.bucket, self.name, keys, data_file=data_file, data_format=self.options.get("format", "parquet"))

    @property
    def ddl(self) -> str:
        given = {
            "connector": self.connector,
            "path": f"s3://{self.bucket}/{self.name}",
            "format": "parquet",
            **({"sink.partition-commit.policy.kind": "success-file"} if self.partition else {}),
            **({"sink.fallback": "forbid"} if self.connector == BRIDGE else {}),
            **self.options,
        }
        known = {key: value for key, value in given.items() if self.connector == BRIDGE or not key.startswith(ONLY_BRIDGE)}
        kept = {key: value for key, value in known.items() if value}
        options = ",\n  ".join(f"'{key}' = '{value}'" for key, value in kept.items())
        partitioned = f"PARTITIONED BY ({self.partition}) " if self.partition else ""
        return f"CREATE TEMPORARY TABLE sink ({self.columns}) {partitioned}WITH (\n  {options}\n);\n"

    def listing(self) -> Listing:
        return list_table(self.server.client(), self.path)

    def objects(self) -> dict[str, ObjectEntry]:
        """Its visible data files by their keys."""
        return {each.key: each for each in self.listing().data}

    def remove_orphans(self, named: Collection[tuple[str, str]] = ()) -> int:
        """Abort what killed processes left open; for a job that has ended. `named`: uploads of the snapshots that are still there."""
        store = self._store()
        return abort(store, self.bucket, orphans(store, self.bucket, self.name, named=named))

    def _store(self) -> Store:
        return open_store(
            StoreSettings(
                endpoint=self.server.endpoint,
                region=self.server.region,
                path_style=True,
                access_key=self.server.access_key,
                secret_key=self.server.secret_key,
                session_token=None,
                aws_environment={},
            ),
            checksum="off",
            connections=4,
        )

    def audit(self, expected: pa.Table, committed: Collection[str], *, allowed_uploads: Collection[str] = ()) -> AuditReport:
        """Fails with all that is wrong (audit a to e)."""
        return audit(self.server.client(), self.path, expected, committed=committed, allowed_uploads=allowed_uploads)


class Contents:
    """How many rows of a table are visible, by partition. Each file's footer is read once: a visible file never changes."""

    FOOTER = 1 << 16

    def __init__(self, table: Table) -> None:
        self._table = table
        self._client = table.server.client()
        self._rows: dict[str, int] = {}

    def rows(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for each in list_table(self._client, self._table.path).data:
            if each.key not in self._rows:
                self._rows[each.key] = self._count(each)
            found[each.partition] += self._rows[each.key]
        return found

    def _count(self, entry: ObjectEntry) -> int:
        last = f"bytes={max(0, entry.size - self.FOOTER)}-"
        footer = self._client.get_object(Bucket=self._table.bucket, Key=entry.key, Range=last)["Body"].read()
        return int(pq.read_metadata(io.BytesIO(footer)).num_rows)


class SqlLake:
    """A cluster, a bucket, and a counter that gives each table a folder that nothing else uses. `settings` are every session's."""

    _numbers = itertools.count()

    def __init__(self, cluster: Cluster, server: S3Endpoint, settings: Mapping[str, str]) -> None:
        self.cluster = cluster
        self.server = server
        self.jobs: list[Job] = []
        self._settings = settings
        self._sessions: list[SqlGateway] = []

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *exception: object) -> None:
        """Cancel what still runs and end the sessions, so that no setting, table or held writer is left to the next test."""
        for job in self.jobs:
            if not job.ended():
                job.cancels()
        for session in self._sessions:
            session.close()

    def table(
        self,
        rows: Rows,
        options: Mapping[str, str] | None = None,
        *,
        connector: str = BRIDGE,
        partition: str = "p",
        columns: str | None = None,
    ) -> Table:
        """A table for `rows`; by event time where the rows have days, so that a day is committed when the watermark passes its end."""
        by_time = {"sink.partition-commit.trigger": "partition-time", "sink.partition-commit.delay": "1 d"}
        name = self.folder()
        given = {**(by_time if rows.per_day and partition else {}), **(options or {})}
        return Table(self.server, name, columns or rows.columns, partition, connector, given)

    def stream(
        self,
        table: Table,
        rows: Rows,
        *,
        per_second: int = 1_000_000,
        parallelism: int = 1,
        checkpoint: str | None = "500 ms",
        savepoint: str | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> Job:
        """Submit the streaming INSERT of `rows` into `table`. `checkpoint` is the interval, None for no checkpoints."""
        return self.insert(
            rows.source(per_second) + table.ddl,
            f"INSERT INTO sink {rows.query}",
            {
                "parallelism.default": str(parallelism),
                **({"execution.checkpointing.interval": checkpoint} if checkpoint else {}),
                **({"execution.state-recovery.path": savepoint} if savepoint else {}),
                **(settings or {}),
            },
        )

    def insert(self, tables: str, statement: str, settings: Mapping[str, str]) -> Job:
        """Run DDL and one INSERT in a session of its own."""
        session = self.session(settings)
        session.script(tables)
        return self.watch(session.execute(statement))

    def watch(self, answer: list[list[Any]]) -> Job:
        """The job that an INSERT, whose answer this is, has begun; cancelled at the test's end."""
        job = Job(self.cluster, str(answer[0][0]))
        self.jobs.append(job)
        return job

    def folder(self) -> str:
        """A name that no table has yet."""
        return f"t{next(self._numbers)}"

    def select(self, tables: str, query: str, timeout: float = 120) -> list[list[Any]]:
        """All rows of a bounded query, by Flink's own readers. A file that can't be read isn't tried again."""
        settings = {"execution.runtime-mode": "batch", "parallelism.default": "1", "restart-strategy.type": "none"}
        with self.session(settings) as session:
            session.script(tables)
            return session.rows(query, timeout)

    def session(self, settings: Mapping[str, str]) -> SqlGateway:
        sql = SqlGateway(self.cluster.sql.base)
        self._sessions.append(sql)
        every = {"table.local-time-zone": "UTC", **self._settings}
        for key, value in {**every, **settings}.items():
            sql.execute(f"SET '{key}' = '{value}'")
        return sql


class Lake(SqlLake):
    """On a cluster of processes, whose writers can be held."""

    cluster: FlinkCluster
    server: S3Server

    def __init__(self, cluster: FlinkCluster, server: S3Server, policies: str, faults: FaultPoints) -> None:
        super().__init__(cluster, server, {"pipeline.jars": policies})
        self.policies = policies
        self.faults = faults

    def __enter__(self) -> "Self":
        self.faults.clear()
        return self

    def __exit__(self, *exception: object) -> None:
        self.faults.clear()
        super().__exit__(*exception)

    def kill_taskmanager(self, *, gently: bool = False) -> None:
        """End the TaskManager by kill -9, or by SIGTERM, and start another, as a resource provider does. Its writers are left to themselves."""
        (taskmanager,) = self.cluster.taskmanagers
        if gently:
            taskmanager.stop(timeout=120)
        else:
            taskmanager.kill()
        taskmanager.start()

    @staticmethod
    def living(pids: Collection[int]) -> list[int]:
        return [pid for pid in pids if psutil.pid_exists(pid)]
