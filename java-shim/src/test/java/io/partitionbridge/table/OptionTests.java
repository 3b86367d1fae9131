package io.partitionbridge.table;

import static java.util.Map.entry;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * For each option the tests that fail when nothing handles it any more, and what encodes the files
 * of these tests, which they assert.
 *
 * <p>A new option needs an entry here; docs/options.md shows it.
 */
final class OptionTests {

    /**
     * @param encoders "arrow", "host" or both; or who handles the option where no encoder is in it
     * @param names functions of a test_*.py, or Class.method of this module
     */
    record Proof(String encoders, List<String> names) {

        String cells() {
            return encoders
                    + " | "
                    + names.stream()
                            .map(name -> "`" + name + "`")
                            .collect(Collectors.joining(", "));
        }
    }

    static final String BOTH = "arrow, host";
    static final String FLINKS = "Flink's sink";
    static final String SOURCE = "Flink's source";
    static final String HIVE = "Hive's Metastore";
    static final String GLUE = "Glue";

    static final Map<String, Proof> PROOFS =
            Map.ofEntries(
                    proof("path", BOTH, "test_path_and_format"),
                    proof("format", BOTH, "test_path_and_format", "test_the_bytes_are_flinks"),
                    proof("partition.default-name", BOTH, "test_partition_default_name"),
                    proof(
                            "source.monitor-interval",
                            SOURCE,
                            "test_source_monitor_interval",
                            "BridgeSourceTest.watchesAFolder"),
                    proof(
                            "source.report-statistics",
                            SOURCE,
                            "BridgeSourceTest.reportsStatisticsUnlessAskedNotTo"),
                    proof(
                            "source.path.regex-pattern",
                            SOURCE,
                            "BridgeSourceTest.readsFilesThatMatch"),
                    proof("sink.rolling-policy.file-size", BOTH, "test_rolling_by_size"),
                    proof("sink.rolling-policy.rollover-interval", BOTH, "test_rolling_by_age"),
                    proof(
                            "sink.rolling-policy.inactivity-interval",
                            BOTH,
                            "test_rolling_by_idleness"),
                    proof(
                            "sink.rolling-policy.check-interval",
                            BOTH,
                            "test_rolling_check_interval"),
                    proof("sink.shuffle-by-partition.enable", "arrow", "test_shuffle_by_partition"),
                    proof("partition.time-extractor.kind", BOTH, "test_time_extractor_class"),
                    proof("partition.time-extractor.class", BOTH, "test_time_extractor_class"),
                    proof(
                            "partition.time-extractor.timestamp-formatter",
                            BOTH,
                            "test_time_extractor_pattern_and_formatter"),
                    proof(
                            "partition.time-extractor.timestamp-pattern",
                            BOTH,
                            "test_time_extractor_pattern_and_formatter"),
                    proof("sink.partition-commit.trigger", BOTH, "test_trigger_and_delay"),
                    proof("sink.partition-commit.delay", BOTH, "test_trigger_and_delay"),
                    proof(
                            "sink.partition-commit.watermark-time-zone",
                            "arrow",
                            "test_zone_of_the_watermark"),
                    proof("sink.partition-commit.policy.kind", BOTH, "test_custom_policy"),
                    proof("sink.partition-commit.policy.class", BOTH, "test_custom_policy"),
                    proof(
                            "sink.partition-commit.policy.class.parameters",
                            BOTH,
                            "test_custom_policy"),
                    proof(
                            "sink.partition-commit.success-file.name",
                            BOTH,
                            "test_success_file_name"),
                    proof("auto-compaction", FLINKS, "test_compaction_file_size"),
                    proof("compaction.file-size", FLINKS, "test_compaction_file_size"),
                    proof("sink.parallelism", BOTH, "test_parallelism"),
                    proof("sink.upload.part-size", BOTH, "test_part_size"),
                    proof("sink.upload.concurrency", BOTH, "test_upload_and_commit_concurrency"),
                    proof("sink.commit.concurrency", BOTH, "test_upload_and_commit_concurrency"),
                    proof("sink.upload.checksum", BOTH, "test_checksum"),
                    proof("sink.upload.conditional", BOTH, "test_conditional"),
                    proof("sink.upload.inline-threshold", BOTH, "test_inline_threshold"),
                    proof("sink.writer.memory", BOTH, "test_what_a_writer_is_told"),
                    proof("sink.state.inline-limit", BOTH, "test_what_a_writer_is_told"),
                    proof(
                            "sink.writer.encoder",
                            BOTH,
                            "test_writer_encoder",
                            "test_the_bytes_are_flinks"),
                    proof(
                            "sink.rolling-policy.roll-on-checkpoint",
                            "arrow",
                            "test_files_end_with_their_day_and_not_with_a_checkpoint",
                            "RollOnCheckpointTest.refusesBulkFormatsOfFlink"),
                    proof(
                            "sink.restore.missing-upload",
                            BOTH,
                            "test_what_a_writer_is_told",
                            "test_an_upload_that_is_gone"),
                    proof(
                            "sink.fallback",
                            FLINKS,
                            "BridgeTableSinkTest.refusesWhereFallbackIsForbidden"),
                    proof("sink.file.prefix", BOTH, "test_file_prefix_and_suffix"),
                    proof("sink.file.suffix", BOTH, "test_file_prefix_and_suffix"),
                    proof(
                            "sink.file.compression",
                            "host",
                            "test_no_row_is_lost_with_a_writer_and_flink_reads_all"),
                    proof("python.executable", BOTH, "test_python_executable", "test_no_python"),
                    proof(
                            "metastore",
                            GLUE,
                            "test_a_stream_registers_each_day_before_its_success_file",
                            "MetastoreChoiceTest.refusesWhatFitsNoMetastore"),
                    proof("metastore.uri", HIVE, "test_a_hive_behind_tls"),
                    proof(
                            "metastore.database",
                            GLUE,
                            "test_a_table_that_is_not_there_fails_the_job"),
                    proof("metastore.table", GLUE, "test_a_table_that_is_not_there_fails_the_job"),
                    proof(
                            "metastore.create-table",
                            GLUE,
                            "test_a_stream_registers_each_day_before_its_success_file"),
                    proof(
                            "metastore.retry-timeout",
                            GLUE,
                            "test_a_metastore_that_stays_away_fails_the_job"),
                    proof("metastore.tls", HIVE, "test_a_hive_behind_tls"),
                    proof("metastore.tls.ca", HIVE, "test_a_hive_behind_tls"),
                    proof("metastore.region", GLUE, "test_what_glue_is_told"),
                    proof("metastore.endpoint", GLUE, "test_what_glue_is_told"),
                    proof("metastore.catalog-id", GLUE, "test_what_glue_is_told"));

    private static final Path JAVA = Path.of("src", "test", "java");
    private static final Path PYTHON = Path.of("..", "tests");

    private OptionTests() {}

    private static Map.Entry<String, Proof> proof(String key, String encoders, String... names) {
        return entry(key, new Proof(encoders, List.of(names)));
    }

    /** Whether a file of tests has this one and speaks of the option, by its key. */
    static boolean exists(String name, String key) {
        boolean java = name.contains(".");
        String wanted = java ? name.substring(0, name.indexOf('.')) + ".java" : "test_.*\\.py";
        Pattern declared =
                Pattern.compile(
                        java
                                ? "void " + name.substring(name.indexOf('.') + 1) + "\\("
                                : "^def " + name + "\\(",
                        Pattern.MULTILINE);
        try (Stream<Path> files = Files.walk(java ? JAVA : PYTHON)) {
            return files.filter(file -> file.getFileName().toString().matches(wanted))
                    .map(OptionTests::read)
                    .anyMatch(text -> declared.matcher(text).find() && text.contains(key));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
