"""Some random tables through both sinks by one job: nothing differs that docs/parity.md doesn't say."""

from pathlib import Path

from tests.differential.run import GROUP, run
from tests.differential.tables import draw_table
from tests.integration.lake import Lake

SEED = 1
BY_FLINK = 6
"""Tables that Flink's reader reads, too: its queries take longer than all else."""


def test_a_sample_differs_only_by_the_rules(lake: Lake, tmp_path: Path) -> None:
    """One job of 20 tables with the types, nulls, partitions and options that a seed has drawn; `make differential` runs more."""
    tables = [draw_table(SEED, number) for number in range(GROUP)]

    results = run(lake, tables, "streaming", tmp_path, by_flink=BY_FLINK)

    unexplained = [result.story() for result in results if result.unexplained]
    assert not unexplained, "\n".join(unexplained)
    assert not [result.refused for result in results if result.refused], "both sinks take every table"
    encoders = {encoder: sum(result.encoder == encoder for result in results) for encoder in ("arrow", "host")}
    assert encoders["arrow"] >= 10, f"pyarrow has encoded most: {encoders}"
    assert encoders["host"] >= 2, f"and Flink's formats some: {encoders}"
    read = [result for result in results if result.table.format == "parquet" and "Flink" not in result.unread]
    assert len(read) == BY_FLINK, "and Flink has read these"
