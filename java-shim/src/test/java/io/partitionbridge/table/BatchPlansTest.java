package io.partitionbridge.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.api.transformations.PhysicalTransformation;
import org.apache.flink.streaming.api.transformations.StreamExchangeMode;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.bridge.java.StreamStatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the planner makes of INSERTs in batch mode. */
class BatchPlansTest {

    private static final Map<String, String> FORBID = Map.of("sink.fallback", "forbid");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t SELECT * FROM source",
                "INSERT OVERWRITE t SELECT * FROM source",
                "INSERT OVERWRITE t PARTITION (`day` = 'd') SELECT id, v FROM source"
            })
    @DisplayName("Every kind of INSERT is the bridge's.")
    void bridges(String statement) {
        assertThat(SqlPlans.batch().sink("t", FORBID).plan(statement))
                .contains("BridgeBatchWriter", "BridgeBatchCommitter")
                .doesNotContain("Flink's sink");
    }

    @Test
    @DisplayName("Flink's format encodes in batch jobs too.")
    void hostEncodes() {
        Map<String, String> json = Map.of("format", "json", "sink.fallback", "forbid");

        assertThat(SqlPlans.batch().sink("t", json).planInsertInto("t"))
                .contains("BridgeBatchWriter (Flink's format)");
    }

    @Test
    @DisplayName("Auto-compaction means nothing in a batch job, as with Flink's sink.")
    void ignoresAutoCompaction() {
        Map<String, String> compacting =
                Map.of("auto-compaction", "true", "sink.fallback", "forbid");

        assertThat(SqlPlans.batch().sink("t", compacting).planInsertInto("t"))
                .contains("BridgeBatchCommitter");
    }

    @Test
    @DisplayName("What falls back in a batch job is refused where that is forbidden.")
    void refusesFallback() {
        SqlPlans sql =
                SqlPlans.batch()
                        .sink("t", Map.of("path", "file:///tmp/t", "sink.fallback", "forbid"));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("'path' isn't on s3:// or s3a://");
    }

    @Test
    @DisplayName(
            "Writers may have attempts side by side; the one committer may not, and it reads again what they wrote.")
    void oneCommitterBehindABlockingExchange() {
        Map<String, Transformation<?>> operators = operators();

        PhysicalTransformation<?> writers =
                (PhysicalTransformation<?>) operators.get(BatchTopology.WRITER_NAME);
        PhysicalTransformation<?> committer =
                (PhysicalTransformation<?>) operators.get(BatchTopology.COMMITTER_NAME);
        assertThat(writers.isSupportsConcurrentExecutionAttempts()).isTrue();
        assertThat(committer.isSupportsConcurrentExecutionAttempts())
                .as("each would remove what the other makes visible")
                .isFalse();
        assertThat(committer.getMaxParallelism()).isEqualTo(1);
        PartitionTransformation<?> exchange =
                (PartitionTransformation<?>) committer.getInputs().get(0);
        assertThat(exchange.getExchangeMode()).isEqualTo(StreamExchangeMode.BATCH);
        assertThat(exchange.getInputs()).containsExactly((Transformation) writers);
    }

    private static Map<String, Transformation<?>> operators() {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        StreamTableEnvironment tables =
                StreamTableEnvironment.create(environment, EnvironmentSettings.inBatchMode());
        SqlPlans.over(tables).sink("t", FORBID);
        StreamStatementSet statements = tables.createStatementSet();
        statements.addInsertSql("INSERT INTO t SELECT * FROM source");
        statements.attachAsDataStream();
        Map<String, Transformation<?>> found = new TreeMap<>();
        Deque<Transformation<?>> open = new ArrayDeque<>(environment.getTransformations());
        while (!open.isEmpty()) {
            Transformation<?> next = open.remove();
            found.put(next.getName(), next);
            open.addAll(next.getInputs());
        }
        return found;
    }
}
