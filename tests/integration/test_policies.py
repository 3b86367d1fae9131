"""Flink's own committer runs, from Flink's jar, and with it what a user's DDL asks of it; plans show the operators."""

import json
import re
from pathlib import Path

from tests.integration.lake import Lake, Table
from tests.integration.rows import Rows

CUSTOM = "io.partitionbridge.policies.RecordingPolicy"
FLINK = "org.apache.flink.connector.file.table"


def test_custom_policy_gets_its_parameters(lake: Lake, tmp_path: Path) -> None:
    """A class of the job's jar, named in the DDL, is called with its parameters for each partition, by Flink's committer."""
    rows = Rows(3_000)
    calls = tmp_path / "calls"
    table = lake.table(
        rows,
        {
            "sink.partition-commit.policy.kind": "custom,success-file",
            "sink.partition-commit.policy.class": CUSTOM,
            "sink.partition-commit.policy.class.parameters": f"{calls};a mark",
        },
    )
    lake.stream(table, rows, parallelism=2).finishes()
    table.audit(rows.expected(), rows.paths())
    lines = [line.split("\t") for line in calls.read_text().splitlines()]
    assert {mark for mark, *_ in lines} == {"a mark"}, "the second parameter of the DDL"
    assert {name for _, name, *_ in lines} == {"sink"}, "the table as the catalog names it"
    assert {value for _, _, value, _ in lines} == {"0", "1", "2"}, "each partition is announced"
    callers = dict(each.rsplit("@", 1) for each in lines[0][3].split(",") if each)
    assert callers[f"{FLINK}.stream.PartitionCommitter"] == connector_jar(lake), "the caller is Flink's class in Flink's jar"


def test_a_policy_in_python_is_called(lake: Lake) -> None:
    """PythonCommitPolicy of the shim calls the function that the DDL names, of the standard library here; what that raises fails the job."""
    rows = Rows(300)
    said = "sink.partition-commit.policy."

    def table(function: str) -> Table:
        python = {f"{said}class": "io.partitionbridge.policy.PythonCommitPolicy", f"{said}class.parameters": function}
        return lake.table(rows, {f"{said}kind": "custom,success-file", **python})

    good, bad = table("builtins:print;a mark"), table("builtins:open;w")
    lake.stream(good, rows).finishes()
    good.audit(rows.expected(), rows.paths())
    job = lake.stream(bad, rows, settings={"restart-strategy.type": "none"})
    assert "expected str, bytes or os.PathLike object, not CommittedPartition" in job.fails(), "the function got the partition"
    assert not bad.listing().success, "nor does what comes after it in the list"
    bad.remove_orphans()


def test_committer_classes_come_from_flinks_jar(lake: Lake) -> None:
    """The JVM's own record: superclass, triggers and policies were loaded from flink-connector-files, and ours extends it."""
    for rows in (Rows(1_000), Rows(1_000, per_day=500)):
        table = lake.table(rows)
        lake.stream(table, rows).finishes()
        table.audit(rows.expected(), rows.paths())
    (log,) = sorted(lake.cluster.folder.glob("classes-*.log"), key=lambda each: each.stat().st_mtime)[-1:]
    loaded = dict(re.findall(r"(io\.partitionbridge\.\S+|org\.apache\.flink\.\S+) source: (\S+)", log.read_text()))
    for name in (
        "stream.PartitionCommitter",
        "stream.PartitionCommitTrigger",
        "stream.ProcTimeCommitTrigger",
        "stream.PartitionTimeCommitTrigger",
        "SuccessFileCommitPolicy",
    ):
        assert loaded[f"{FLINK}.{name}"].endswith(connector_jar(lake)), f"{name} is Flink's own"
    ours = loaded["io.partitionbridge.committer.BridgePartitionCommitter"]
    assert "flink-partition-bridge" in ours, "the subclass is the shim's"


def test_plans_show_the_operators(lake: Lake) -> None:
    """EXPLAIN JSON_EXECUTION_PLAN and the web interface name the writer and Flink's committer."""
    rows = Rows(1_000)
    table = lake.table(rows)
    session = lake.session({"parallelism.default": "2"})
    session.script(rows.source(1_000) + table.ddl)
    (explained,) = session.execute(f"EXPLAIN JSON_EXECUTION_PLAN INSERT INTO sink {rows.query}")
    plan = json.loads(explained[0].split("== Physical Execution Plan ==", 1)[1])
    planned = " ".join(node["type"] for node in plan["nodes"])
    shown = lake.stream(table, rows, parallelism=2).finishes().operators()
    for operator in ("BridgeFileWriter", "PartitionCommitter"):
        assert operator in planned, "named in EXPLAIN JSON_EXECUTION_PLAN"
        assert operator in shown, "named in the REST plan, which the web interface draws"


def connector_jar(lake: Lake) -> str:
    """Name of the jar that Flink ships its connector in."""
    (jar,) = (lake.cluster.folder / "lib").glob("flink-connector-files-*.jar")
    return jar.name
