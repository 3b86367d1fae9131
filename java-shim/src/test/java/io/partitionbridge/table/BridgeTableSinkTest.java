package io.partitionbridge.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.table.api.ValidationException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which sink the planner gets, and what its plan shows, all through SQL. */
class BridgeTableSinkTest {

    @Test
    @DisplayName("A partitioned Parquet table on s3:// is written by the bridge.")
    void bridgesParquetOnS3() {
        String plan = SqlPlans.streaming().sink("t", Map.of()).planInsertInto("t");

        assertThat(plan)
                .as("the bridge's writers, Flink's committer and the end are in the job")
                .contains("BridgeFileWriter", "PartitionCommitter", "end");
        assertThat(plan).as("Flink's writer is not").doesNotContain("StreamingFileWriter");
    }

    @Test
    @DisplayName("A bounded query in streaming mode is written by the bridge too.")
    void bridgesBoundedQueryInStreamingMode() {
        String plan =
                SqlPlans.streaming()
                        .sink("t", Map.of())
                        .plan("INSERT INTO t VALUES (1, 'a', '2013-01-01')");

        assertThat(plan).as("the mode counts, not the query").contains("BridgeFileWriter");
    }

    @Test
    @DisplayName("Without partitions nothing is committed, so there is no committer.")
    void noCommitterWithoutPartitions() {
        String plan = SqlPlans.streaming().plainSink("t", Map.of()).planInsertInto("t");

        assertThat(plan)
                .as("as with Flink's sink")
                .contains("BridgeFileWriter")
                .doesNotContain("PartitionCommitter");
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource(
            delimiter = ';',
            value = {
                "path; file:///tmp/t; 'path' isn't on s3:// or s3a://",
                "path; /tmp/t; 'path' isn't on s3:// or s3a://",
                "auto-compaction; true; 'auto-compaction' = 'true'",
            })
    @DisplayName("What the bridge can't write is refused at planning where fallback is forbidden.")
    void refusesWhereFallbackIsForbidden(String key, String value, String reason) {
        SqlPlans sql =
                SqlPlans.streaming().sink("t", Map.of(key, value, "sink.fallback", "forbid"));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .as("the reason is named, with the table")
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("can't write default_catalog.default_database.t: " + reason);
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource({
        "format, csv",
        "format, avro",
        "format, orc",
        "format, json",
        "format, debezium-json",
        "format, canal-json",
        "format, maxwell-json",
        "format, ogg-json",
        "parquet.compression, LZO",
        "parquet.compression, LZ4",
        "parquet.bloom.filter.enabled, true",
        "sink.writer.encoder, host"
    })
    @DisplayName(
            "What pyarrow can't encode is encoded by Flink's format, and bridged all the same.")
    void hostEncodes(String key, String value) {
        String plan =
                SqlPlans.streaming()
                        .sink("t", Map.of(key, value, "sink.fallback", "forbid"))
                        .planInsertInto("t");

        assertThat(plan).as("the plan tells").contains("BridgeFileWriter (Flink's format)");
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource(
            delimiter = ';',
            value = {
                "format; csv; 'format' = 'csv'. Use 'parquet'.",
                "parquet.compression; LZ4; 'parquet.compression' = 'LZ4'. Use SNAPPY",
                "parquet.bloom.filter.enabled; true; 'parquet.bloom.filter.enabled' is for Flink's own format. Remove",
                "parquet.no.such.key; true; 'parquet.no.such.key' is unknown to the bridge. Remove"
            })
    @DisplayName("An encoder that was asked for and can't is refused with what to change.")
    void refusesArrowWhereItCannot(String key, String value, String message) {
        SqlPlans sql =
                SqlPlans.streaming().sink("t", Map.of(key, value, "sink.writer.encoder", "arrow"));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("'sink.writer.encoder' = 'arrow' can't encode")
                .hasMessageContaining(message)
                .hasMessageContaining("Or set 'sink.writer.encoder' = 'auto'.");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "parquet.compression, zstd",
        "parquet.compression.codec.zstd.level, 7",
        "parquet.enable.dictionary#id, false",
        "parquet.writer.version, PARQUET_2_0",
        "parquet.validation, true",
        "path, s3a://lake/t"
    })
    @DisplayName("What the bridge honours keeps a table bridged.")
    void honours(String key, String value) {
        String plan =
                SqlPlans.streaming()
                        .sink("t", Map.of(key, value, "sink.fallback", "forbid"))
                        .planInsertInto("t");

        assertThat(plan)
                .as("no fallback, and pyarrow encodes")
                .contains("BridgeFileWriter")
                .doesNotContain("Flink's format");
    }

    @Test
    @DisplayName("A fallback is Flink's own sink, and its operators' names tell why.")
    void fallbackShowsItsReason() {
        String plan =
                SqlPlans.streaming()
                        .sink("t", Map.of("format", "csv", "path", "file:///tmp/t"))
                        .planInsertInto("t");

        assertThat(plan)
                .as("each operator that Flink's sink made says it")
                .contains(
                        "StreamingFileWriter (Flink's sink: 'path' isn't on s3:// or s3a://)",
                        "PartitionCommitter (Flink's sink: 'path' isn't on s3:// or s3a://)");
        assertThat(plan)
                .as("the query's own operators keep their names")
                .doesNotContain("source[1] (Flink's sink");
    }

    @Test
    @DisplayName("Where a batch job falls back, it is Flink's batch sink that writes.")
    void batchFallsBack() {
        String plan =
                SqlPlans.batch()
                        .sink("t", Map.of("format", "csv", "path", "file:///tmp/t"))
                        .planInsertInto("t");

        assertThat(plan)
                .as("Flink's batch sink")
                .contains("Filesystem (Flink's sink: 'path' isn't on s3:// or s3a://)");
    }

    @Test
    @DisplayName("File names that Flink's sink can't give are refused, not ignored.")
    void fallbackRefusesFileNames() {
        SqlPlans sql =
                SqlPlans.streaming()
                        .sink(
                                "t",
                                Map.of(
                                        "format", "csv",
                                        "path", "file:///tmp/t",
                                        "sink.file.suffix", ".csv"));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .as("an option is honoured or refused")
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("'sink.file.suffix' = '.csv' can't be honoured")
                .hasMessageContaining("Or set 'sink.file.suffix' = ''");
    }

    @Test
    @DisplayName("A store key that the bridge can't translate falls back and is named.")
    void storeKeyFallsBack() {
        SqlPlans sql = SqlPlans.streaming().sink("t", Map.of("sink.fallback", "forbid"));
        sql.tables
                .getConfig()
                .set("fs.s3a.server-side-encryption-algorithm", "SSE-KMS-with-secret");

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .as("the key is named, its value isn't")
                .hasMessageContaining("'fs.s3a.server-side-encryption-algorithm'")
                .hasMessageNotContaining("secret");
    }

    @Test
    @DisplayName("Overwriting in streaming mode is refused as Flink does.")
    void refusesStreamingOverwrite() {
        SqlPlans sql = SqlPlans.streaming().sink("t", Map.of());

        assertThatThrownBy(() -> sql.plan("INSERT OVERWRITE t SELECT * FROM source"))
                .as("Flink's class and sentence, then what to do")
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "Streaming mode not support overwrite. Use INSERT INTO, or set"
                                + " 'execution.runtime-mode' = 'batch'.");
    }

    @Test
    @DisplayName("A changelog is refused by the planner, since Parquet takes inserts only.")
    void refusesChangelog() {
        SqlPlans sql = SqlPlans.streaming().plainSink("t", Map.of());

        assertThatThrownBy(
                        () ->
                                sql.plan(
                                        "INSERT INTO t SELECT count(*), v, `day` FROM source GROUP BY v, `day`"))
                .as("Flink's own message")
                .hasMessageContaining("doesn't support consuming update changes");
    }

    @Test
    @DisplayName("A format that has a word for updates takes a changelog, as with Flink's sink.")
    void takesChangelogWhereTheFormatDoes() {
        Map<String, String> options = Map.of("format", "debezium-json", "sink.fallback", "forbid");
        String updates = "INSERT INTO t SELECT count(*), v, `day` FROM source GROUP BY v, `day`";

        assertThat(SqlPlans.streaming().plainSink("t", options).plan(updates))
                .contains("BridgeFileWriter (Flink's format)");

        Map<String, String> parallel = Map.of("format", "debezium-json", "sink.parallelism", "2");
        assertThatThrownBy(() -> SqlPlans.streaming().plainSink("t", parallel).plan(updates))
                .as("Flink's own refusal: updates of a key could overtake each other")
                .hasMessageContaining(
                        "doesn't support setting parallelism (2) by 'sink.parallelism'");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = ';',
            value = {
                "success-file, custom; Unsupported policy ' custom'",
                "succes; Unsupported policy 'succes'",
                "custom; Set 'sink.partition-commit.policy.class'",
                "metastore; Can not configure a 'metastore' partition commit policy for a file system table"
            })
    @DisplayName("A policy that Flink would fail on when the job runs is refused at planning.")
    void refusesPolicy(String kind, String message) {
        SqlPlans sql =
                SqlPlans.streaming().sink("t", Map.of("sink.partition-commit.policy.kind", kind));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .as("named, with what to set")
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = ';',
            value = {
                "s3:///t; names no bucket",
                "s3://key:secret@lake/t; has credentials in it",
            })
    @DisplayName("A path without a bucket, or with credentials, is refused.")
    void refusesPath(String path, String message) {
        SqlPlans sql = SqlPlans.streaming().sink("t", Map.of("path", path));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .as("no later step could do better")
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining(message)
                .hasMessageNotContaining("secret@");
    }

    @Test
    @DisplayName(
            "A path without scheme is of Flink's default file system, and bridged where that is S3.")
    void qualifiesPathsOfTheDefaultFileSystem() {
        Configuration onS3 = new Configuration();
        onS3.set(CoreOptions.DEFAULT_FILESYSTEM_SCHEME, "s3://lake");
        FileSystem.initialize(onS3, null);
        try {
            Map<String, String> absolute = Map.of("path", "/a b/t", "sink.fallback", "forbid");
            assertThat(SqlPlans.streaming().sink("t", absolute).planInsertInto("t"))
                    .contains("BridgeFileWriter");
            assertThat(SinkChoice.qualified("/a b/t"))
                    .as("writers know nothing of the default")
                    .isEqualTo("s3://lake/a b/t");
            assertThat(SinkChoice.qualified("s3a://other/a b/")).isEqualTo("s3a://other/a b");
            SqlPlans relative = SqlPlans.streaming().sink("t", Map.of("path", "t"));
            assertThatThrownBy(() -> relative.planInsertInto("t"))
                    .isInstanceOf(ValidationException.class)
                    .hasMessageContaining(
                            "'t' has no scheme and isn't absolute. Write it as s3://bucket/folder");
        } finally {
            FileSystem.initialize(new Configuration(), null);
        }
    }

    @Test
    @DisplayName("A session's path without scheme is explained.")
    void explainsMissingScheme() {
        SqlPlans sql =
                SqlPlans.streaming().sink("t", Map.of("path", "lake/t", "sink.fallback", "forbid"));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .as("what it is taken for, and how to write it")
                .hasMessageContaining(
                        "'lake/t' has no scheme, so it is on Flink's default file system, 'file'."
                                + " Write the 'path' as s3://bucket/folder.");
    }
}
