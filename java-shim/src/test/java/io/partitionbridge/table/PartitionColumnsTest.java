package io.partitionbridge.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.table.api.ValidationException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a table can be partitioned by. */
class PartitionColumnsTest {

    private static final String OPTIONS =
            " WITH ('connector' = 'filesystem-bridge', 'path' = 's3://lake/t', 'format' = 'json',"
                    + " 'sink.fallback' = 'forbid')";

    @ParameterizedTest
    @ValueSource(strings = {"BYTES", "BINARY(3)", "ARRAY<INT>", "MAP<STRING, INT>", "ROW<f INT>"})
    @DisplayName("A column without a text of its own is refused: Flink would lose its values.")
    void refusesWhatHasNoName(String type) {
        SqlPlans sql = partitionedBy(SqlPlans.streaming(), type);

        assertThatThrownBy(
                        () ->
                                sql.plan(
                                        "INSERT INTO t SELECT id, CAST(NULL AS "
                                                + type
                                                + ") FROM source"))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("partition column 'p'")
                .hasMessageContaining("would be lost");
    }

    @ParameterizedTest
    @ValueSource(strings = {"DATE", "TIME", "TIMESTAMP(3)", "DECIMAL(38, 18)", "DOUBLE", "BOOLEAN"})
    @DisplayName("Columns whose names say their values stay as they are with Flink.")
    void takesWhatHasAName(String type) {
        SqlPlans sql = partitionedBy(SqlPlans.streaming(), type);

        assertThat(sql.plan("INSERT INTO t SELECT id, CAST(NULL AS " + type + ") FROM source"))
                .contains("BridgeFileWriter");
    }

    @Test
    @DisplayName("Where a batch statement itself names the partition, its text is the name.")
    void takesWhatTheStatementNames() {
        SqlPlans sql = partitionedBy(SqlPlans.batch(), "BYTES");

        assertThat(sql.plan("INSERT INTO t PARTITION (p = 'abc') SELECT id FROM source"))
                .contains("BridgeBatchCommitter");
    }

    private static SqlPlans partitionedBy(SqlPlans sql, String type) {
        sql.tables.executeSql(
                "CREATE TABLE t (id BIGINT, p " + type + ") PARTITIONED BY (p)" + OPTIONS);
        return sql;
    }
}
