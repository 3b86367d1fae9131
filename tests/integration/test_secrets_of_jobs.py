"""Secrets stay where they belong (I12), seen from a whole cluster: what a job writes, logs, says and shows has none of the store's keys."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tests.integration.faults import writer_pids
from tests.integration.lake import BUCKET, MULTIPART, Lake
from tests.integration.rows import Rows
from tests.support.flink import FlinkCluster
from tests.support.process import shown
from tests.support.servers import S3Server

ASKED = ("", "/config", "/exceptions", "/plan", "/checkpoints", "/checkpoints/config", "/accumulators")


def written(cluster: FlinkCluster, job: str) -> Iterator[tuple[Path, bytes]]:
    """All files of the cluster but the jars, which are links, the configuration, where the keys were given, and other jobs' blobs.

    With each job Flink sends its whole configuration, whatever the sink is, and makes a blob of it where the job is large.
    """
    for each in cluster.folder.rglob("*"):
        others = "blobStorage" in each.parts and f"job_{job}" not in each.parts
        if each.is_file() and not each.is_symlink() and each.name != "config.yaml" and not others:
            with suppress(FileNotFoundError):  # a checkpoint that another one has taken the place of
                yield each, each.read_bytes()


def test_a_job_shows_no_secret(lake: Lake, cluster: FlinkCluster, server: S3Server) -> None:
    """A job that is explained, run, hit, restarted and stopped with a savepoint: logs, checkpoints, temporary files, processes, answers of
    the REST interface and objects are searched for the store's secret key.
    """
    rows = Rows(20_000)
    table = lake.table(rows, MULTIPART)
    session = lake.session({})
    session.script(rows.source(1_000) + table.ddl)
    plan = str(session.execute(f"EXPLAIN JSON_EXECUTION_PLAN INSERT INTO sink {rows.query}"))
    with lake.faults.hold("commit-before-complete") as reached:
        job = lake.stream(table, rows, per_second=2_500)
        held = reached()
        (taskmanager,) = cluster.taskmanagers
        seen = {f"process {pid}": shown(pid) for pid in (*writer_pids(taskmanager.pid), taskmanager.pid, cluster.jobmanager.pid)}
        files = dict(written(cluster, job.id))
        job.kill_writer(held)
    savepoint = job.stops()
    seen["plan"] = plan
    seen |= {f"/jobs/{job.id}{each}": str(lake.cluster.jobs.get(f"/jobs/{job.id}{each}")) for each in ASKED}
    seen |= {each: str(lake.cluster.jobs.get(each)) for each in ("/jobmanager/config", "/jobmanager/environment")}
    for each in table.listing().data:
        seen[each.key] = str(server.client().head_object(Bucket=BUCKET, Key=each.key)["Metadata"])
    assert "was ended by signal 9" in seen[f"/jobs/{job.id}/exceptions"], "the failure was told"

    told = [name for name, text in seen.items() if server.secret_key in text]
    files |= dict(written(cluster, job.id))
    found = [str(path) for path, content in files.items() if server.secret_key.encode() in content]
    assert not told, "the secret key was shown"
    assert not found, "the secret key was written"
    kinds = {path.relative_to(cluster.folder).parts[0] for path in files}
    assert kinds >= {"logs", "checkpoints", "savepoints"}, f"there was something to search: {kinds}"
    job = lake.stream(table, rows, savepoint=savepoint)
    job.finishes()
    table.remove_orphans()
    table.audit(rows.expected(), rows.paths())
