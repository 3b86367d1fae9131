"""Jobs whose commits go to a metastore: what it lists is what is complete, and it's listed before anyone is told (docs/metastores.md)."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.integration.faults import wait_for
from tests.integration.lake import Lake, Table
from tests.integration.registered import METASTORE_FIRST, Watch, located, watched
from tests.integration.rows import Rows
from tests.metastores.doors import TlsDoor
from tests.support.aws import Aws, Recorder
from tests.support.glue import Glue
from tests.support.hive_metastore import HiveMetastore
from tests.support.ports import free_ports

DATABASE = "lake"
BATCH = {"execution.runtime-mode": "batch", "parallelism.default": "1"}


@pytest.fixture(scope="module")
def glue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Glue]:
    """A catalog with one database."""
    with Aws(tmp_path_factory.mktemp("glue")) as aws:
        yield Glue(aws.endpoint, DATABASE)


def registered(lake: Lake, rows: Rows, glue: Glue, options: Mapping[str, str] = METASTORE_FIRST) -> Table:
    """A table that has the name of its folder in the catalog."""
    table = lake.table(rows, {**options, **glue.options()})
    table.options["metastore.table"] = table.name
    return table


def agree(table: Table, glue: Glue, rows: Rows, watch: Watch) -> None:
    """The audit; the metastore lists what has `_SUCCESS`, where it is; and nobody could have seen it otherwise meanwhile."""
    table.audit(rows.expected(), rows.paths())
    assert glue.partitions(table.name) == located(table, rows.paths()), "listed: the partitions with _SUCCESS, where they are"
    assert watch.looks > 10, "it was looked at all the time"
    assert watch.seen, "a reader saw success files come"
    assert not watch.early, "no _SUCCESS without its entry"


def test_a_stream_registers_each_day_before_its_success_file(lake: Lake, glue: Glue) -> None:
    """A table that the metastore lacks is made by 'metastore.create-table', and each day is there before its `_SUCCESS` is."""
    rows = Rows(3_000, per_day=1_000)
    table = registered(lake, rows, glue)
    with watched(table, lambda: glue.partitions(table.name)) as watch:
        with lake.faults.hold("metastore-before-put") as not_yet:
            job = lake.stream(table, rows, per_second=1_000)
            not_yet()
            looks = watch.looks
            # The polling alone would hardly ever look in the milliseconds between the two.
            wait_for("two looks while the entry isn't made", lambda: watch.looks > looks + 2)
            assert not watch.seen, "no _SUCCESS while the first entry waits"
        job.finishes()
    agree(table, glue, rows, watch)


@pytest.mark.thorough
def test_a_taskmanager_is_killed_between_entry_and_success_file(lake: Lake, glue: Glue) -> None:
    """The partition is announced again after the failover: the metastore bears it, and its success file comes then."""
    rows = Rows(6_000, per_day=1_000)
    table = registered(lake, rows, glue)
    with watched(table, lambda: glue.partitions(table.name)) as watch:
        with lake.faults.hold("metastore-after-put") as in_the_middle:
            job = lake.stream(table, rows, per_second=1_000, parallelism=2)
            held = in_the_middle()
            (listed,) = glue.partitions(table.name)
            assert listed not in table.listing().success, "the entry is made, and its success file isn't"
            lake.kill_taskmanager()
            wait_for("the end of the metastore's process, whose standard input has ended", lambda: not lake.living([held]))
        job.runs_or_ended().finishes()
        announced = [each.facts["location"] for each in lake.faults.reached("metastore-after-put")]
    table.remove_orphans()
    agree(table, glue, rows, watch)
    assert announced.count(f"s3://{table.bucket}/{table.name}/{listed.rstrip('/')}") > 1, "announced again"


def test_a_batch_job_registers_what_it_wrote(lake: Lake, glue: Glue) -> None:
    """Twice the same partitions: made by the first job, announced again by the second, with a location put right that was another."""
    rows = Rows(300)
    table = registered(lake, rows, glue)
    lake.insert(rows.bounded() + table.ddl, f"INSERT INTO sink {rows.query}", BATCH).finishes()
    assert glue.partitions(table.name) == located(table, rows.paths()), "made"
    where = {"DatabaseName": glue.database, "TableName": table.name}
    moved = glue.client.get_partition(**where, PartitionValues=["1"])["Partition"]["StorageDescriptor"]
    elsewhere = {"Values": ["1"], "StorageDescriptor": {**moved, "Location": "s3://lake/elsewhere"}}
    glue.client.update_partition(**where, PartitionValueList=["1"], PartitionInput=elsewhere)

    lake.insert(rows.bounded() + table.ddl, f"INSERT OVERWRITE sink {rows.query}", BATCH).finishes()
    table.audit(rows.expected(), rows.paths())
    assert glue.partitions(table.name) == located(table, rows.paths()), "where the files are, whatever it was before"


def test_a_table_that_is_not_there_fails_the_job(lake: Lake, glue: Glue) -> None:
    """By 'metastore.database' and 'metastore.table': at its start, with what to do; nothing is visible, in a batch job either."""
    rows = Rows(300)
    for settings in (BATCH, {"execution.checkpointing.interval": "500 ms"}):
        table = registered(lake, rows, glue, {"sink.partition-commit.policy.kind": "metastore"})
        job = lake.insert(
            rows.bounded() + table.ddl, f"INSERT INTO sink {rows.query}", {**settings, "restart-strategy.type": "none"}
        )
        assert f"the metastore has no table lake.{table.name}: create it there" in job.fails(), "what is wrong, and what to do"
        assert not table.objects(), "nothing is visible"
        table.remove_orphans()


def test_what_glue_is_told(lake: Lake, glue: Glue) -> None:
    """'metastore.endpoint', 'metastore.region', which isn't the store's, and 'metastore.catalog-id' are in each call of a job."""
    rows = Rows(300)
    elsewhere = Glue(glue.endpoint, DATABASE, "eu-west-3")
    table = registered(lake, rows, elsewhere)
    with Recorder(glue.endpoint) as wire:
        table.options |= {"metastore.endpoint": wire.endpoint, "metastore.region": "eu-west-3"}
        table.options |= {"metastore.catalog-id": "123456789012", "metastore.retry-timeout": "5 s"}
        job = lake.insert(
            rows.bounded() + table.ddl, f"INSERT INTO sink {rows.query}", {**BATCH, "restart-strategy.type": "none"}
        )
        wait_for("the job's end", job.ended)
    assert wire.bodies, "calls came to the endpoint"
    assert all("/eu-west-3/glue/" in each["authorization"] for each in wire.requests), "signed for the region"
    assert all(json.loads(body).get("CatalogId") == "123456789012" for body in wire.bodies), "the other account's catalog"
    assert elsewhere.partitions(table.name) == located(table, rows.paths()), "registered there"


def test_a_metastore_that_stays_away_fails_the_job(lake: Lake) -> None:
    """It's asked again for 'metastore.retry-timeout', and then its table's job says so."""
    rows = Rows(300)
    (nobody,) = free_ports(1)
    options = {"metastore": "glue", "metastore.endpoint": f"http://127.0.0.1:{nobody}", "metastore.retry-timeout": "1 s"}
    table = lake.table(rows, {"sink.partition-commit.policy.kind": "metastore", **options})
    job = lake.stream(table, rows, settings={"restart-strategy.type": "none"})
    assert " tries over 1 s " in job.fails(timeout=180), "as long as the option says, and not a minute"
    table.remove_orphans()


def test_a_hive_behind_tls(lake: Lake, tmp_path: Path) -> None:
    """A job registers at the first server of 'metastore.uri' that answers, by TLS, vouched for by the file of 'metastore.tls.ca'."""
    rows = Rows(300)
    (nobody,) = free_ports(1)
    with HiveMetastore("4.0.1", tmp_path / "hms") as hive, TlsDoor(hive.port, tmp_path) as door:
        hive.create_database(DATABASE)
        options = {
            "metastore": "hive",
            "metastore.uri": f"thrift://127.0.0.1:{nobody},thrift://127.0.0.1:{door.port}",
            "metastore.tls": "true",
            "metastore.tls.ca": str(door.certificate),
            "metastore.database": DATABASE,
            "metastore.table": "days",
            "metastore.retry-timeout": "5 s",
        }
        table = lake.table(rows, {**METASTORE_FIRST, **options})
        job = lake.insert(
            rows.bounded() + table.ddl, f"INSERT INTO sink {rows.query}", {**BATCH, "restart-strategy.type": "none"}
        )
        wait_for("the job's end", job.ended)
        there = hive.partitions(DATABASE, "days") if hive.has_table(DATABASE, "days") else {}
    assert there == {path.rstrip("/"): where for path, where in located(table, rows.paths()).items()}, "made and filled, there"
    table.audit(rows.expected(), rows.paths())
