"""The SQL that README.md and docs/ show is planned by Flink's planner, its tables are the bridge's to write: in one JVM."""

import json
import re
from pathlib import Path

from partition_bridge.sql_statements import statements_of
from tests.support.commands import run
from tests.support.installations import Installation
from tests.support.pages import code_blocks

TABLE = "CREATE TABLE shown (id BIGINT, `day` STRING) PARTITIONED BY (`day`) WITH ("
GOOD = {"'connector'": "'filesystem-bridge'", "'path'": "'s3://lake/shown'", "'format'": "'parquet'"}
METASTORE = "'sink.partition-commit.policy.kind' = 'metastore'"


def tried(number: int, block: str) -> list[str]:
    """Statements that carry out the block: its own, and an INSERT into the table that it declares or has options for."""
    if block.startswith("'"):
        policy = [METASTORE] if "'metastore'" in block else []
        block = (
            TABLE + ", ".join([*(f"{key} = {value}" for key, value in GOOD.items()), *policy, block.strip().rstrip(",")]) + ")"
        )
    statements = []
    for statement in statements_of(block):
        declared = re.match(r"CREATE TABLE (\w+) ", statement)
        statements.append(statement)
        if declared and "'filesystem-bridge'" in statement:
            source, sink = f"source_{number}", declared[1]
            statements += [
                f"CREATE TABLE {source} WITH ('connector' = 'datagen') LIKE {sink} (EXCLUDING OPTIONS EXCLUDING PARTITIONS)",
                f"INSERT INTO {sink} SELECT * FROM {source}",
                f"DROP TABLE {sink}",
            ]
    return statements


def test_flink_plans_the_sql_that_the_pages_show(tmp_path: Path) -> None:
    """Every table that is declared is written by the bridge, with pyarrow."""
    # docs/explain.md is a file of its own, whose output another test compares.
    blocks = [each.content for each in code_blocks() if each.language == "sql" and each.page != "docs/explain.md"]
    declared = sum("CREATE TABLE" in each or each.startswith("'") for each in blocks)
    assert declared >= 4, "the blocks are found at all"
    file = tmp_path / "docs.sql"
    file.write_text(";\n".join(statement for number, block in enumerate(blocks) for statement in tried(number, block)))
    flink = Installation(tmp_path / "flink", {})
    told = run("explain", "--json", "--flink-home", str(flink.home), str(file))
    assert told.returncode == 0, told.stderr
    sinks = [json.loads(line) for line in told.stdout.splitlines()]
    assert [each["writer"] for each in sinks] == ["arrow"] * declared, "as the pages say"
