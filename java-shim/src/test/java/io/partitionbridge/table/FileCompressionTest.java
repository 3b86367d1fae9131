package io.partitionbridge.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** sink.file.compression at planning. */
class FileCompressionTest {

    private static final String OPTION = "sink.file.compression";

    static Iterable<String> formats() {
        return FileCompression.FORMATS;
    }

    @ParameterizedTest
    @MethodSource("formats")
    @DisplayName("Files of every text format can be compressed, in streaming and in batch jobs.")
    void bridges(String format) {
        Map<String, String> options = Map.of("format", format, OPTION, "gzip");

        for (SqlPlans sql : new SqlPlans[] {SqlPlans.streaming(), SqlPlans.batch()}) {
            // raw has room for one column beside those of partitions.
            boolean raw = format.equals("raw");
            sql.sink("t", raw ? "v STRING" : "id BIGINT, v STRING", options);
            assertThat(
                            sql.plan(
                                    "INSERT INTO t SELECT "
                                            + (raw ? "v, `day`" : "*")
                                            + " FROM source"))
                    .contains("(Flink's format)")
                    .doesNotContain("Flink's sink");
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "parquet, Remove it, and set 'parquet.compression' instead.",
        "orc, Remove it, and set 'orc.compress' instead.",
        "avro, Remove it, and set 'avro.codec' instead."
    })
    @DisplayName("A format that compresses its files itself is refused, with its own option.")
    void refusesOtherFormats(String format, String start, String rest) {
        SqlPlans sql = SqlPlans.streaming().sink("t", Map.of("format", format, OPTION, "zstd"));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining(
                        "'sink.file.compression' = 'zstd' can't compress files of 'format' = '"
                                + format
                                + "'. "
                                + start
                                + ", "
                                + rest);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"streaming", "batch"})
    @DisplayName("Flink's own sink can't compress, so a fallback is refused and not taken.")
    void refusesFallback(String mode) {
        SqlPlans sql = mode.equals("batch") ? SqlPlans.batch() : SqlPlans.streaming();
        sql.sink("t", Map.of("format", "csv", "path", "file:///tmp/t", OPTION, "gzip"));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining(
                        "'sink.file.compression' = 'gzip' can't be honoured for default_catalog.default_database.t,"
                                + " since Flink's own sink has to write it: 'path' isn't on s3:// or s3a://.")
                .hasMessageContaining("Or set 'sink.file.compression' = 'none'.");
    }

    @Test
    @DisplayName("Flink would read zstd's bytes as the text of a csv file: that is refused.")
    void refusesToReadWhatFlinkCannot() {
        Map<String, String> options = Map.of("format", "csv", OPTION, "zstd");
        SqlPlans sql = SqlPlans.streaming().sink("t", options);

        assertThat(sql.planInsertInto("t")).as("others read it").contains("BridgeFileWriter");
        assertThatThrownBy(() -> sql.tables.explainSql("SELECT * FROM t"))
                .hasStackTraceContaining(
                        "Flink can't read csv files with 'sink.file.compression' = 'zstd'. Set 'gzip'");
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "none, '', ''",
        "none, .csv, .csv",
        "gzip, '', .gz",
        "gzip, .csv, .csv.gz",
        "gzip, .csv.gz, .csv.gz",
        "zstd, .json, .json.zst",
        "zstd, .gz, .gz.zst"
    })
    @DisplayName("Names end with what readers know the compression by, once.")
    void namesTellTheCompression(String compression, String suffix, String expected) {
        Configuration options = new Configuration();
        options.setString(OPTION, compression);
        options.setString("sink.file.suffix", suffix);

        assertThat(FileCompression.suffix(options)).isEqualTo(expected);
    }
}
