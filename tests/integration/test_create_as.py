"""Tables that a query makes, and the statement that Flink shows of them."""

import pytest

from tests.integration.lake import BUCKET, Lake, Table
from tests.integration.rows import Rows


@pytest.mark.parametrize("mode", ["streaming", "batch"])
def test_create_table_as(lake: Lake, mode: str) -> None:
    """CREATE TABLE AS makes a table that the bridge fills; what SHOW CREATE TABLE tells makes the same table once more."""
    rows = Rows(3_000)
    folder = lake.folder()
    options = {"connector": "filesystem-bridge", "path": f"s3://{BUCKET}/{folder}", "format": "parquet"}
    options |= {"sink.fallback": "forbid", "sink.partition-commit.policy.kind": "success-file"}
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    settings = {"execution.runtime-mode": mode, "parallelism.default": "1", "restart-strategy.type": "none"}

    # Phase 1: the statement begins the job that fills the table.
    with lake.session(settings) as session:
        session.script(rows.bounded())
        query = rows.query.replace("MD5(CAST(id AS STRING))", "MD5(CAST(id AS STRING)) AS `hash`").replace(" FROM", " AS p FROM")
        job = lake.watch(session.execute(f"CREATE TABLE made PARTITIONED BY (p) WITH ({listed}) AS {query}"))
        assert "BridgeBatchWriter" in job.operators() or "BridgeFileWriter" in job.operators(), "the bridge writes it"
        job.finishes()
        table = Table(lake.server, folder, rows.columns)
        table.audit(rows.expected(), rows.paths())
        for each in table.objects():
            assert "pb-token" in lake.server.client().head_object(Bucket=BUCKET, Key=each)["Metadata"], (
                "each object is the bridge's"
            )

        # Phase 2: the table is in the catalog with its options, and can be made anew from what is shown.
        ((shown,),) = session.rows("SHOW CREATE TABLE made")
        assert all(f"'{key}' = '{value}'" in shown for key, value in options.items()), f"each option is shown: {shown}"
        session.execute("DROP TABLE made")
        session.execute(shown)
        session.execute("SET 'execution.runtime-mode' = 'batch'")
        assert session.rows("SELECT COUNT(*), COUNT(DISTINCT p) FROM made") == [[rows.count, len(rows.paths())]]
