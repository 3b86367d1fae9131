"""The demo: a year of flights, fed in a minute, through Flink SQL into partitions in an S3 server on loopback.

    python -m examples.flights [--kill writer|taskmanager|jobmanager|store] [--tamper drop-file|drop-row|extra-file|early-success]

Exits with 0 only when the bucket holds exactly what was fed, every day is announced and no upload is open.
"""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from string import Template
from urllib.parse import urlparse

import urllib3

from examples.flights import crash, tamper
from examples.flights.check import CheckFailed, check_everything, check_sums
from examples.flights.lake import Contents, Lake
from examples.flights.orphans import OrphansFailed, remove_orphans
from examples.flights.progress import Progress
from examples.flights.source import DAYS, ROWS, Feeder, original
from partition_bridge.audit import ANY_FILE, BRIDGE_FILE, AuditFailed, TablePath
from tests.support.flink import FlinkCluster, s3_config, shim_jar
from tests.support.process import ServerFailed
from tests.support.rest import RestFailed
from tests.support.servers import SeaweedFS

TABLE = TablePath("lake", "flights", ("day",))
BRIDGE_OPTIONS = """,
  -- Each file is a multipart upload, however small; and never Flink's own sink instead.
  'sink.upload.inline-threshold' = '0 b',
  'sink.fallback' = 'forbid'"""
MIN_CHECKPOINTS = 10
MIN_COMMITTED_BY_WATERMARK = 300
NOTICED = 4
"""Exit code where the checks have noticed what --tamper did; 1 is a failure of the demo itself."""

ALL_ROWS_TIMEOUT = 240.0  # seconds from the last file fed to the last row visible, recovery included


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m examples.flights", description=__doc__)
    parser.add_argument("--kill", choices=crash.KINDS, help="kill -9 this while uploads are open")
    parser.add_argument("--tamper", choices=sorted(tamper.KINDS), help="damage the result: the checks must fail")
    parser.add_argument("--seconds", type=float, default=65.0, help="how long the feeder takes for the year")
    parser.add_argument("--checkpoint-interval", default="4 s")
    parser.add_argument(
        "--connector",
        choices=("filesystem-bridge", "filesystem"),
        default="filesystem-bridge",
        help="filesystem: Flink's own sink, as a control",
    )
    options = parser.parse_args()
    if options.kill and options.connector == "filesystem":
        parser.error("--kill needs the bridge: Flink's own uploads bear no mark by which they could be found again")
    return options


class Demo:
    """One run: its servers, its job, and what is told of them."""

    def __init__(self, options: argparse.Namespace, folder: Path, progress: Progress) -> None:
        self.options = options
        self.progress = progress
        self.bridge = options.connector == "filesystem-bridge"
        self.inbox = folder / "inbox"
        self.inbox.mkdir()
        self.flights = original(folder)
        self.server = SeaweedFS(folder / "s3")
        self.folder = folder
        self.tampered = False
        data_file = BRIDGE_FILE if self.bridge else ANY_FILE
        self.lake = Lake(self.server, TablePath(TABLE.bucket, TABLE.prefix, TABLE.partition_keys, data_file=data_file))

    def run(self) -> int:
        """Stream, then check. The exit code."""
        self.progress.say("starting an S3 server and a Flink cluster, half a minute or so")
        with self.server:
            self.server.create_bucket(TABLE.bucket)
            jars = [shim_jar()] if self.bridge else []
            config = {**s3_config(self.server), "restart-strategy.fixed-delay.attempts": 200}
            with FlinkCluster(self.folder / "flink", jars=jars, config=config) as cluster, self.progress:
                self.progress.say(f"store {self.server.endpoint}, Flink {cluster.jobs.base}")
                orphans = self._stream(cluster)
            return self._close(orphans)

    def _stream(self, cluster: FlinkCluster) -> int:
        """Feed, kill on demand, drain. The number of orphans that were removed."""

        def submit(snapshot: str | None = None) -> str:
            return self._submit(cluster, snapshot)

        job = submit()
        cluster.jobs.wait(job, frozenset({"RUNNING"}))
        feeder = Feeder(self.flights, self.inbox, self.options.seconds)
        feeder.start()
        if self.options.kill:
            self._watch(cluster, job, feeder, lambda contents: contents.committed >= DAYS // 4)
            crash.crash(self.options.kill, cluster, self.server, self.lake, self.progress.say)
            self.progress.say(
                f"bringing back what an operator would, while the feeder goes on: {crash.RECOVERY[self.options.kill]}"
            )
            job = crash.recover(self.options.kill, cluster, self.server, job, submit)
            cluster.jobs.wait(job, frozenset({"RUNNING"}))
            self.progress.say(f"job {job} recovers{crash.reason(cluster, job)}")
        contents = self._watch(
            cluster,
            job,
            feeder,
            lambda contents: (
                contents.rows >= ROWS
                and contents.committed >= MIN_COMMITTED_BY_WATERMARK
                and cluster.jobs.completed_checkpoints(job) >= MIN_CHECKPOINTS
            ),
        )
        feeder.stop()
        self.progress.say(f"{contents.committed} partitions committed by watermark before the drain")
        savepoint = cluster.jobs.stop_with_savepoint(job, cluster.savepoints.as_uri(), drain=True)
        cluster.jobs.wait(job, frozenset({"FINISHED"}))
        self.progress.say(f"drained into {savepoint}")
        return self._remove_orphans(cluster, job, savepoint) if self.bridge else 0

    def _submit(self, cluster: FlinkCluster, snapshot: str | None) -> str:
        script = Template((Path(__file__).parent / "flights.sql").read_text()).safe_substitute(
            checkpoint_interval=self.options.checkpoint_interval,
            inbox=self.inbox.as_uri(),
            connector=self.options.connector,
            path=f"s3://{TABLE.bucket}/{TABLE.prefix}",
            bridge_options=BRIDGE_OPTIONS if self.bridge else "",
        )
        if snapshot is not None:
            script = f"SET 'execution.state-recovery.path' = '{snapshot}';\n{script}"
        job = cluster.sql.script(script)
        if job is None:
            raise CheckFailed("the script began no job")
        self.progress.say(f"job {job}" + (f" from {snapshot}" if snapshot else ""))
        return job

    def _watch(self, cluster: FlinkCluster, job: str, feeder: Feeder, enough: Callable[[Contents], bool]) -> Contents:
        """Show progress until `enough`. A job that ends by itself, or rows that don't come, fail the demo."""
        deadline = time.monotonic() + self.options.seconds + ALL_ROWS_TIMEOUT
        while time.monotonic() < deadline:
            contents = self.lake.contents()
            state = cluster.jobs.state(job)
            self.progress.show(feeder.fed_rows, contents, cluster.jobs.completed_checkpoints(job), state)
            if enough(contents):
                return contents
            if state in ("FAILED", "CANCELED", "FINISHED"):
                cluster.jobs.wait(job, frozenset({"RUNNING"}))
            time.sleep(0.5)
        raise CheckFailed(
            f"after {self.options.seconds + ALL_ROWS_TIMEOUT:.0f} s {contents.rows} of {ROWS} rows were visible and "
            f"{contents.committed} partitions committed (at least {MIN_COMMITTED_BY_WATERMARK} must be, by watermark), "
            f"{cluster.jobs.completed_checkpoints(job)} checkpoints complete (at least {MIN_CHECKPOINTS} make a stream)"
        )

    def _remove_orphans(self, cluster: FlinkCluster, drained: str, savepoint: str) -> int:
        """Abort what killed processes left open and no retained checkpoint or savepoint names (I6)."""
        snapshots = [Path(urlparse(savepoint).path), *cluster.retained_checkpoints(finished=drained)]
        removed = remove_orphans(self.server, self.lake.table, snapshots)
        for each in removed:
            self.progress.say(f"removed orphan: {each}")
        if removed and not self.options.kill:
            raise CheckFailed(f"{len(removed)} uploads were open though nothing was killed")
        return len(removed)

    def _close(self, orphans: int) -> int:
        if self.options.tamper:
            self.progress.say(f"tampering: {tamper.KINDS[self.options.tamper](self.lake)}")
            self.tampered = True
        contents = self.lake.contents()
        self.progress.bucket(contents, self.lake.months())
        rows_out = check_sums(self.lake, self.flights)
        self.progress.say("DuckDB: count and sums of each day equal the original file's")
        report = check_everything(self.lake, self.flights)
        self.progress.say(f"audit: {report.rows} rows equal one by one, {report.data_objects} files, nothing else under the path")
        if self.bridge and contents.parts < contents.files:
            raise CheckFailed(f"{contents.files} files in {contents.parts} parts: each must be a multipart upload")
        print(
            f"demo: {ROWS} rows in, {rows_out} rows out, {report.success_files} partitions committed, "
            f"{report.open_uploads} uploads open ({orphans} orphans of killed processes removed)"
        )
        return 0


def main() -> int:
    """Run the demo; whatever is wrong is told in one place and gives exit code 1."""
    options = arguments()
    # Ending the demo must end its servers too: without a handler, SIGTERM skips every context's exit.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    progress = Progress()
    demo: Demo | None = None
    folder = Path(tempfile.mkdtemp(prefix="flights-"))
    try:
        demo = Demo(options, folder, progress)
        code = demo.run()
    except (
        AuditFailed,
        CheckFailed,
        OrphansFailed,
        RestFailed,
        ServerFailed,
        crash.NoOpenUpload,
        crash.WriterLeft,
        urllib3.exceptions.HTTPError,
    ) as error:
        if demo is not None and demo.tampered and isinstance(error, AuditFailed | CheckFailed):
            progress.say(f"noticed, as it must be: {type(error).__name__}: {error}")
            shutil.rmtree(folder)
            return NOTICED
        progress.say(f"demo failed: {type(error).__name__}: {error}")
        progress.say(f"logs and checkpoints are in {folder}")
        return 1
    shutil.rmtree(folder)
    return code


if __name__ == "__main__":
    sys.exit(main())
