"""I9: the bridge writes no table data to local disk. Seen by strace; Flink's own sink, which does, is the control."""

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.integration.faults import wait_for
from tests.integration.lake import BRIDGE, STOCK, Lake
from tests.integration.rows import Rows

CALLS = "open,openat,openat2,creat,rename,renameat,renameat2,link,linkat"
OPENED = re.compile(r'(?:open|openat|openat2|creat)\((?:AT_FDCWD, )?"([^"]+)"(.*)')
RENAMED = re.compile(r'(?:rename|link)\w*\(.*"([^"]+)"[^"]*$')
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT")


@contextmanager
def traced(pid: int, log: Path) -> Iterator[None]:
    """Every file that the process, its threads and its children open or rename while in this, in `log`."""
    command = ["strace", "-f", "-qq", "-s", "512", "-e", f"trace={CALLS}", "-o", str(log), "-p", str(pid)]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        wait_for("strace to attach", lambda: "TracerPid:\t0" not in Path(f"/proc/{pid}/status").read_text())
        yield
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.communicate(timeout=60)


def written(log: Path) -> set[str]:
    """Paths that were opened for writing or got their name by renaming."""
    found = set()
    for line in log.read_text(errors="replace").splitlines():
        if (opened := OPENED.search(line)) and WRITES.search(opened[2]):
            found.add(opened[1])
        elif renamed := RENAMED.search(line):
            found.add(renamed[1])
    return found


def not_flinks_own(paths: set[str], lake: Lake) -> set[str]:
    """What is left without devices, logs, byte code, and Flink's checkpoint, shuffle, sort, spill and jar files."""
    folder = re.escape(str(lake.cluster.folder))
    named = [
        r"/dev/\S+|/proc/\S+|/sys/\S+",
        rf"{folder}/logs/.*|{folder}/classes-\d+\.log",
        r".*/__pycache__/[^/]+\.pyc(\.\d+)?",
        r".*/hsperfdata_[^/]+/\d+",
        rf"{folder}/checkpoints/[0-9a-f]+/(shared|taskowned|chk-\d+)/[^/]+",
        rf"{folder}/savepoints/savepoint-[^/]+/[^/]+",
        rf"{folder}/io/tm_[^/]*/blobStorage/incoming/temp-\d+",  # the job's jar on its way in
        rf"{folder}/io/(flink-(netty-shuffle|io|rpc-akka)[^/]*|tm_[^/]*/(blobStorage|localState|tmp))/.*(blob_|\.jar|channel|\.data|\.index).*",
        rf"{re.escape(str(lake.faults.folder))}/reached\.jsonl",
    ]
    allowed = re.compile("|".join(f"(?:{each})" for each in named))
    return {path for path in paths if not allowed.fullmatch(path)}


def test_no_process_writes_table_bytes_to_disk(lake: Lake, tmp_path: Path) -> None:
    """TaskManager and writer open only Flink's own files for writing; the same trace catches Flink's sink at its part files."""
    # No partitions: `_SUCCESS` goes through Flink's S3 file system, which stages even an empty object in a local file.
    rows = Rows(4_000, fat=64)
    (taskmanager,) = lake.cluster.taskmanagers
    seen = {}
    for connector in (BRIDGE, STOCK):
        table = lake.table(rows, {"sink.upload.inline-threshold": "0 b"}, connector=connector, partition="")
        with traced(taskmanager.pid, tmp_path / connector):
            lake.stream(table, rows, per_second=2_000).finishes()
        table.audit(rows.expected(), set())
        seen[connector] = not_flinks_own(written(tmp_path / connector), lake)
    assert seen[STOCK], "the control: Flink's sink stages its parts in local files, and the trace sees them"
    assert not seen[BRIDGE], "no file but Flink's own was opened for writing (I9)"
