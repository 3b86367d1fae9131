"""One of Flink's own suites on S3: its tests pass, and the bridge has written their files; `make peer` runs them all."""

from pathlib import Path

from tests.peer.stage import stage
from tests.peer.verdict import class_troubles

SUITE = "io.partitionbridge.peer.CheckpointedTables$Parquet"


def test_flinks_streaming_suite_on_s3(tmp_path: Path) -> None:
    """Flink's FsStreamingSinkITCaseBase with Parquet, whose folders are mapped to a bucket."""
    with stage("s3", tmp_path / "peer") as lake:
        outcome = lake.run(SUITE)

    assert not class_troubles("s3", SUITE, outcome.numbers()), "Flink's tests pass, and each data file has the bridge's mark"
    assert {name: len(files) for name, files in outcome.files.items()} == {
        "testNonPart": 1,
        "testPart": 5,
        "testPartitionWithBasicDate": 2,
    }, "the bridge has written for every test that inserts; testMetastorePolicy is refused"
