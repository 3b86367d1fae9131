package io.partitionbridge.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.table.api.ValidationException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** 'sink.rolling-policy.roll-on-checkpoint' = 'false', at planning. */
class RollOnCheckpointTest {

    private static Map<String, String> off(String key, String value) {
        Map<String, String> options = new HashMap<>();
        options.put("sink.rolling-policy.roll-on-checkpoint", "false");
        options.put(key, value);
        return options;
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource({
        "format, parquet",
        "parquet.compression, zstd",
        "format, debezium-json",
        "format, json",
        "sink.writer.encoder, arrow"
    })
    @DisplayName(
            "Parquet files of pyarrow can go on after a checkpoint, and row formats always do.")
    void goesOn(String key, String value) {
        assertThat(SqlPlans.streaming().sink("t", off(key, value)).planInsertInto("t"))
                .contains("BridgeFileWriter");
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource(
            delimiter = ';',
            value = {
                "format; csv; 'format' = 'csv'. Use 'parquet'.",
                "format; avro; 'format' = 'avro'. Use 'parquet'.",
                "format; orc; 'format' = 'orc'. Use 'parquet'.",
                "parquet.compression; LZ4; 'parquet.compression' = 'LZ4'. Use SNAPPY",
                "sink.writer.encoder; host; 'sink.writer.encoder' = 'host'. Remove that option."
            })
    @DisplayName(
            "Files that Flink's bulk formats finish can't go on: refused, with what to change.")
    void refusesBulkFormatsOfFlink(String key, String value, String why) {
        SqlPlans sql = SqlPlans.streaming().sink("t", off(key, value));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining(
                        "'sink.rolling-policy.roll-on-checkpoint' = 'false' can't be honoured for"
                                + " default_catalog.default_database.t, since Flink's own format has to"
                                + " encode it: "
                                + why)
                .hasMessageContaining("Or remove 'sink.rolling-policy.roll-on-checkpoint'.");
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource({"auto-compaction, true"})
    @DisplayName("Where Flink's own sink writes the table, its files end at each checkpoint.")
    void refusesFallback(String key, String value) {
        SqlPlans sql = SqlPlans.streaming().sink("t", off(key, value));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .hasMessageContaining(
                        "'sink.rolling-policy.roll-on-checkpoint' = 'false' can't be honoured")
                .hasMessageContaining("Flink's own sink has to write it");
    }
}
