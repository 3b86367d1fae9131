package io.partitionbridge.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.connector.file.table.FileSystemTableFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The options of a bridged table: Flink's, and those of {@link BridgeOptions}. */
class BridgeTableFactoryTest {

    private static final FileSystemTableFactory FLINK = new FileSystemTableFactory();
    private static final BridgeTableFactory BRIDGE = new BridgeTableFactory();

    @Test
    @DisplayName(
            "Every option of Flink's connector is there, unchanged, and nothing but the bridge's own is new.")
    void hasFlinksOptions() {
        Set<ConfigOption<?>> added =
                BRIDGE.optionalOptions().stream()
                        .filter(option -> !FLINK.optionalOptions().contains(option))
                        .collect(Collectors.toSet());

        assertThat(BRIDGE.requiredOptions()).as("required").isEqualTo(FLINK.requiredOptions());
        assertThat(BRIDGE.forwardOptions()).as("forwarded").isEqualTo(FLINK.forwardOptions());
        assertThat(BRIDGE.optionalOptions())
                .as("same names, types, defaults")
                .containsAll(FLINK.optionalOptions());
        Set<ConfigOption<?>> own = new HashSet<>(BridgeOptions.all());
        own.addAll(MetastoreOptions.all());
        assertThat(added).as("the bridge's own").isEqualTo(own);
    }

    @Test
    @DisplayName("Each of the bridge's options is described.")
    void describesOptions() {
        assertThat(BridgeOptions.all())
                .as("docs/options.md is made of the descriptions")
                .allSatisfy(option -> assertThat(option.description()).isNotNull());
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource(
            delimiter = ';',
            value = {
                "sink.upload.part-size; 4 mb; parts must be from 5 mb to 5 gb",
                "sink.upload.part-size; 6 gb; parts must be from 5 mb to 5 gb",
                "sink.upload.part-size; 128 mb; Set it to at least '512 mb'",
                "sink.upload.concurrency; 0; it must be at least 1",
                "sink.commit.concurrency; -1; it must be at least 1",
                "sink.writer.memory; 32 mb; Set it to at least '64 mb'",
                "sink.upload.inline-threshold; 17 mb; can't be above 'sink.upload.part-size', '16 mb'",
                "sink.state.inline-limit; 512 kb; can't be above 'sink.state.inline-limit', '512 kb'",
                "sink.file.prefix; _x; Use a prefix such as 'part'",
                "sink.file.suffix; a/b; a file name can't have '/'",
                "sink.file.compression; lzma; Expected one of",
                "sink.upload.checksum; md5; Expected one of",
                "sink.partition-commit.watermark-time-zone; Nowhere; Invalid time zone"
            })
    @DisplayName("A value that can't be honoured is refused with what to set.")
    void refusesValues(String key, String value, String message) {
        SqlPlans sql = SqlPlans.streaming().sink("t", Map.of(key, value));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .as("says what would do")
                .hasStackTraceContaining(message);
    }

    @Test
    @DisplayName("An unknown option is refused in Flink's words, as with its own connector.")
    void refusesUnknownOption() {
        SqlPlans sql =
                SqlPlans.streaming().sink("t", Map.of("sink.rolling-policy.filesize", "1 mb"));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .as("with the list of what there is")
                .hasStackTraceContaining(
                        "Unsupported options found for 'filesystem-bridge'.\n\nUnsupported options:\n\n"
                                + "sink.rolling-policy.filesize")
                .hasStackTraceContaining("sink.upload.part-size");
    }

    @Test
    @DisplayName("An unknown format is refused in Flink's words.")
    void refusesUnknownFormat() {
        SqlPlans sql = SqlPlans.streaming().sink("t", Map.of("format", "parket"));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .as("Flink's message")
                .hasStackTraceContaining(
                        "Could not find any format factory for identifier 'parket' in the classpath.");
    }

    @Test
    @DisplayName("Reading is Flink's own source.")
    void readsWithFlinksSource() {
        SqlPlans sql = SqlPlans.streaming().plainSink("t", Map.of("format", "csv", "path", "/tmp"));

        assertThat(sql.tables.explainSql("SELECT * FROM t"))
                .as("planned")
                .contains("TableSourceScan");
    }
}
