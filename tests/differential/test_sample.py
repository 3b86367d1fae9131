"""Some random tables through both sinks: nothing differs that docs/parity.md doesn't say, and what is spoiled is seen."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.differential.forks import warm_interpreter
from tests.differential.read import contents, read_locally
from tests.differential.run import GROUP, Result, look, run
from tests.differential.stage import Stage
from tests.differential.tables import draw_table
from tests.differential.write import Place, Written, write
from tests.integration.faults import FaultPoints
from tests.integration.lake import BUCKET, Lake
from tests.support.flink import FlinkCluster
from tests.support.servers import S3Server

SEED = 1
BATCH = 3
"""Tables that are written over: the cluster of all tests has network memory for the exchanges of a few batch sinks."""
BY_FLINK = 6
"""Tables that Flink's reader reads, too: its queries take longer than all else."""


@dataclass
class Sample:
    """Tables that both sinks have written, and what was seen of them before a test spoiled any."""

    stage: Stage
    written: list[Written]
    streaming: list[Result]
    batch: list[Result]

    def again(self, spoiled: Written, copies: Path) -> set[str]:
        """What is unexplained of a table now."""
        (result,) = look(self.stage, [spoiled], "streaming", copies, by_flink=0)
        return {each.what for each in result.unexplained}

    def one(self, needed: str, *, partitioned: bool, policy: str = "") -> Written:
        """A table that a test may spoil."""
        return next(
            each
            for each in self.written
            if each.table.format == needed
            and bool(each.table.partitions) is partitioned
            and policy in each.table.options.get("sink.partition-commit.policy.kind", "")
        )


@pytest.fixture(scope="module")
def sample(
    cluster: FlinkCluster, server: S3Server, policies: str, fault_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Sample]:
    """One streaming job of 20 tables, and batch jobs of a few with what is put over them."""
    folder = tmp_path_factory.mktemp("differential")
    tables = [draw_table(SEED, number) for number in range(GROUP + 6 * BATCH)]
    over = [each for each in tables[GROUP:] if each.again][:BATCH]
    with warm_interpreter(folder) as python, Lake(cluster, server, policies, FaultPoints(fault_folder)) as lake:
        on = Stage(lake, server.client(), python)
        written = write(on, tables[:GROUP], "streaming", folder)
        streaming = look(on, written, "streaming", folder / "copies", BY_FLINK)
        yield Sample(on, written, streaming, run(on, over, "batch", folder / "batch", by_flink=0))


def test_a_sample_differs_only_by_the_rules(sample: Sample) -> None:
    """Types, nulls, partitions and options are those that a seed has drawn; `make differential` runs more."""
    results = sample.streaming

    _explained(results)
    encoders = {encoder: sum(result.encoder == encoder for result in results) for encoder in ("arrow", "host")}
    assert encoders["arrow"] >= 10, f"pyarrow has encoded most: {encoders}"
    assert encoders["host"] >= 2, f"and Flink's formats some: {encoders}"
    read = [result for result in results if result.table.format == "parquet" and "Flink" not in result.unread]
    assert len(read) == BY_FLINK, "and Flink has read these"


def test_a_batch_job_and_what_is_put_over_it_differ_only_by_the_rules(sample: Sample) -> None:
    """INSERT INTO, then INSERT OVERWRITE: partitions, announcements and their order are Flink's."""
    _explained(sample.batch)
    assert len(sample.batch) == BATCH, "tables were written twice"


def test_the_group_inside_of_a_map_lacks_an_old_annotation(sample: Sample, tmp_path: Path) -> None:
    """The one thing of a footer's types that isn't compared is as docs/parity.md says."""
    arrow = {each.table.number for each in sample.streaming if each.encoder == "arrow" and "MAP" in each.table.families}
    written = next(each for each in sample.written if each.table.number in arrow)
    annotated = []
    for place in (written.ours, written.theirs):
        side = contents(place)
        read_locally(written.table, side, tmp_path / place.folder)
        annotated.append({each["converted_type"] for each in side.schema if each["name"] == "key_value"})

    assert annotated == [{"None"}, {"MAP_KEY_VALUE"}], "ours has none, Flink's has one"


def test_a_value_of_another_row_is_seen(sample: Sample, tmp_path: Path) -> None:
    """Two rows of a file whose ids are exchanged: all else is as it was."""
    spoiled = sample.one("parquet", partitioned=False)
    key, body = _file(spoiled.ours)
    rows = pq.read_table(io.BytesIO(body))
    ids = rows["id"].to_pylist()
    exchanged = pa.array([ids[1], ids[0], *ids[2:]], pa.int32())
    changed = io.BytesIO()
    pq.write_table(rows.set_column(0, pa.field("id", pa.int32(), nullable=False), exchanged), changed)
    sample.stage.client.put_object(Bucket=BUCKET, Key=key, Body=changed.getvalue())

    assert {"value by pyarrow", "value by DuckDB"} <= sample.again(spoiled, tmp_path), "each reader shows it"


def test_a_file_in_another_partition_is_seen(sample: Sample, tmp_path: Path) -> None:
    """It is moved to a folder whose name differs by a letter."""
    spoiled = sample.one("parquet", partitioned=True)
    key, body = _file(spoiled.ours)
    folder, _, name = key.rpartition("/")
    sample.stage.client.put_object(Bucket=BUCKET, Key=f"{folder}x/{name}", Body=body)
    sample.stage.client.delete_object(Bucket=BUCKET, Key=key)

    assert "folders" in sample.again(spoiled, tmp_path)


def test_another_order_of_announcements_is_seen(sample: Sample, tmp_path: Path) -> None:
    """The same calls of a policy, the last one first."""
    spoiled = next(
        each for each in sample.written if each.ours.calls.exists() and len(set(each.ours.calls.read_text().splitlines())) > 1
    )
    calls = spoiled.ours.calls.read_text().splitlines()
    spoiled.ours.calls.write_text("\n".join(reversed(calls)))

    assert "calls of the policy" in sample.again(spoiled, tmp_path)


def _explained(results: list[Result]) -> None:
    unexplained = [result.story() for result in results if result.unexplained]
    assert not unexplained, "\n".join(unexplained)
    assert not [result.refused for result in results if result.refused], "both sinks take every table"


def _file(place: Place) -> tuple[str, bytes]:
    """A data file of a table, by its key in the bucket."""
    key, body = next((key, body) for key, body in sorted(place.files()) if body.startswith(b"PAR1"))
    return f"{place.folder}/{key}", body
