"""What `explain` says of a sink, in words."""

from dataclasses import replace

from partition_bridge.cli.explained import told
from partition_bridge.explain import PlannedSink

SINK = PlannedSink(
    statement=1,
    table="a.b.t",
    connector="filesystem-bridge",
    mode="streaming",
    checkpoint_interval_ms=60_000,
    writer="arrow",
    path="s3://lake/t",
    format="parquet",
    policies="success-file",
    reason=None,
    remedy=None,
)


def test_a_batch_insert_has_no_checkpoints_to_wait_for() -> None:
    """Its files come at its end; that there is no interval is no fault."""
    batch = replace(SINK, mode="batch", checkpoint_interval_ms=None)
    assert told(batch)[-1] == "Files become visible at the job's end."
    assert not batch.never_visible


def test_a_stream_without_checkpoints_is_told_what_to_set() -> None:
    """It would run for ever and show nothing."""
    never = replace(SINK, checkpoint_interval_ms=None)
    assert never.never_visible
    assert "execution.checkpointing.interval" in told(never)[-1]


def test_another_connector_is_not_judged() -> None:
    """Whether it needs checkpoints is its own matter."""
    other = replace(SINK, writer=None, connector="kafka", checkpoint_interval_ms=None)
    assert told(other) == ["The connector 'kafka' writes it, which isn't the bridge's."]
    assert not other.never_visible


def test_a_remedy_is_given_where_there_is_something_to_mend() -> None:
    """Parquet that pyarrow can't encode, and Flink's own sink; json is Flink's to encode anyway."""
    host = replace(SINK, writer="host", reason="'parquet.compression' = 'LZO'", remedy="Use 'snappy'.")
    assert "-> Use 'snappy'." in told(host)
    assert not any("Use" in line for line in told(replace(host, format="json", reason="'format' = 'json'")))
    assert "-> Use 'snappy'." in told(replace(host, writer="flink"))
