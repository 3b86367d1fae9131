"""The classes that are run: Flink's bases with each format (tests/peer/src), and Flink's own classes, as they lie in its tests jars."""

FORMATS = ("Parquet", "Csv", "Json", "Avro", "Orc")

_OURS = "io.partitionbridge.peer."
_CONNECTOR = "org.apache.flink.connector.file.table."
_PLANNER = "org.apache.flink.table.planner.runtime."

COMPACTION = tuple(f"{_OURS}CompactedTables${name}" for name in FORMATS)
"""The one suite that S3 doesn't have: with auto-compaction Flink's own sink writes the table (docs/parity.md)."""

FLINKS_WRITERS = (
    _CONNECTOR + "batch.compact.BatchFileWriterTest",
    _CONNECTOR + "stream.StreamingFileWriterTest",
    _CONNECTOR + "stream.compact.CompactFileWriterTest",
)
"""They make operators of Flink's own sink and no table, so what they write is Flink's own on any class path."""

SUITES = (
    *(f"{_OURS}{base}${name}" for base in ("CheckpointedTables", "StreamTables", "BatchTables") for name in FORMATS),
    *COMPACTION,
    # From flink-table-planner's tests jar.
    _PLANNER + "stream.sql.StreamFileSystemTestCsvITCase",
    _PLANNER + "stream.sql.FsStreamingSinkTestCsvITCase",
    _PLANNER + "batch.sql.FileSystemTestCsvITCase",
    _CONNECTOR + "FileSystemTableSourceWithPartitionsITCase",
    _CONNECTOR + "FileSystemTableSourceStreamingITCase",
    _CONNECTOR + "FileSystemStatisticsReportTest",
    _CONNECTOR + "FileSystemTableFactoryTest",
    _CONNECTOR + "FileSystemTableSourceTest",
    _CONNECTOR + "FileSystemTableSinkTest",
    # From flink-connector-files' tests jar.
    _CONNECTOR + "BinPackingTest",
    _CONNECTOR + "EnrichedRowDataTest",
    _CONNECTOR + "FileSystemCommitterTest",
    _CONNECTOR + "FileSystemOutputFormatTest",
    _CONNECTOR + "LimitableBulkFormatTest",
    _CONNECTOR + "PartitionTempFileManagerTest",
    _CONNECTOR + "PartitionWriterTest",
    _CONNECTOR + "RowPartitionComputerTest",
    _CONNECTOR + "batch.compact.BatchCompactCoordinatorTest",
    _CONNECTOR + "batch.compact.BatchCompactOperatorTest",
    _CONNECTOR + "batch.compact.BatchPartitionCommitterSinkTest",
    _CONNECTOR + "stream.PartitionCommitInfoTest",
    _CONNECTOR + "stream.compact.CompactCoordinatorTest",
    _CONNECTOR + "stream.compact.CompactOperatorTest",
    *FLINKS_WRITERS,
)

RUNS = {"stock": SUITES, "local": SUITES, "s3": tuple(each for each in SUITES if each not in COMPACTION)}
"""What each run consists of. `stock`: Flink's connector. `local`: the takeover, whose fallback writes local files. `s3`: the bridge."""


def short(suite: str) -> str:
    """For people: a class without its package."""
    return suite.rpartition(".")[2].replace("$", ", ")
