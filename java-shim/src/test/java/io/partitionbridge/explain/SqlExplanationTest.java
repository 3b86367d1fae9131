package io.partitionbridge.explain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is told of a SQL file's INSERTs: by Flink's own planner, without running them. */
class SqlExplanationTest {

    private static final String SOURCE =
            "CREATE TABLE numbers (id BIGINT, `day` STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '3')";
    private static final String INSERT = "INSERT INTO lake SELECT * FROM numbers";

    private static String lake(String path, String format, String more) {
        return "CREATE TABLE lake (id BIGINT, `day` STRING) PARTITIONED BY (`day`) WITH ("
                + "'connector' = 'filesystem-bridge', 'path' = '"
                + path
                + "', 'format' = '"
                + format
                + "'"
                + more
                + ")";
    }

    private static List<Map<String, Object>> explained(String... statements) {
        List<String> all = new ArrayList<>(List.of(SOURCE));
        all.addAll(List.of(statements));
        return SqlExplanation.explained(all, new Configuration());
    }

    @Test
    @DisplayName("Parquet on S3 is the bridge's, encoded by pyarrow")
    void bridge() {
        List<Map<String, Object>> told =
                explained(
                        "SET 'execution.checkpointing.interval' = '10 s'",
                        lake(
                                "s3://lake/t",
                                "parquet",
                                ", 'sink.partition-commit.policy.kind' = 'success-file'"),
                        INSERT);

        assertThat(told).hasSize(1);
        assertThat(told.get(0))
                .as("all that can be said of a good table")
                .containsEntry("statement", 4)
                .containsEntry("table", "default_catalog.default_database.lake")
                .containsEntry("mode", "streaming")
                .containsEntry("writer", "arrow")
                .containsEntry("path", "s3://lake/t")
                .containsEntry("policies", "success-file")
                .containsEntry("checkpoint_interval_ms", 10_000L)
                .containsEntry("reason", null);
    }

    @Test
    @DisplayName("what Flink's format encodes, and what Flink's sink writes, have a reason")
    void reasons() {
        assertThat(explained(lake("s3://lake/t", "csv", ""), INSERT).get(0))
                .as("a format that pyarrow doesn't write")
                .containsEntry("writer", "host")
                .containsEntry("reason", "'format' = 'csv'");
        assertThat(
                        explained(
                                        lake(
                                                "s3://lake/t",
                                                "parquet",
                                                ", 'sink.writer.encoder' = 'host'"),
                                        INSERT)
                                .get(0))
                .as("an option that asks for it")
                .containsEntry("writer", "host")
                .containsEntry("reason", "'sink.writer.encoder' = 'host'");
        assertThat(explained(lake("file:///tmp/t", "parquet", ""), INSERT).get(0))
                .as("a path that isn't the bridge's")
                .containsEntry("writer", "flink")
                .containsEntry("reason", "'path' isn't on s3:// or s3a://")
                .containsEntry("remedy", "Write the 'path' as s3://bucket/folder.");
    }

    @Test
    @DisplayName("hints count, and each INSERT of a statement set is told, of other connectors too")
    void severalSinks() {
        List<Map<String, Object>> told =
                explained(
                        lake("s3://lake/t", "parquet", ""),
                        "CREATE TABLE nowhere (id BIGINT, `day` STRING) WITH ('connector' = 'blackhole')",
                        "EXECUTE STATEMENT SET BEGIN INSERT INTO lake /*+ OPTIONS('sink.writer.encoder' = 'host') */"
                                + " SELECT * FROM numbers; INSERT INTO nowhere SELECT * FROM numbers; END");

        assertThat(told).extracting(each -> each.get("writer")).containsExactly("host", null);
        assertThat(told.get(1)).containsEntry("connector", "blackhole");
    }

    @Test
    @DisplayName("a mode that the file sets is the planner's; two modes are refused")
    void modes() {
        assertThat(
                        explained(
                                        "SET 'execution.runtime-mode' = 'batch'",
                                        lake("s3://lake/t", "parquet", ""),
                                        "INSERT OVERWRITE lake SELECT * FROM numbers")
                                .get(0))
                .as("an overwrite is planned in batch mode only")
                .containsEntry("mode", "batch")
                .containsEntry("writer", "arrow");
        assertThat(
                        explained(
                                        "SET 'execution.runtime-mode' = 'batch'",
                                        "SET 'execution.runtime-mode' = 'streaming'")
                                .toString())
                .contains("explain one part of the file after the other");
    }

    @Test
    @DisplayName("a statement that Flink refuses ends the list with its number and the reasons")
    void refused() {
        List<Map<String, Object>> told =
                explained(lake("s3://lake/t", "parquet", ", 'sink.part-sise' = '5 mb'"), INSERT);

        assertThat(told).hasSize(1);
        assertThat(told.get(0)).containsEntry("statement", 3);
        assertThat(told.get(0).get("error").toString())
                .as("the outermost says which table, the innermost what is wrong")
                .contains("lake", "sink.part-sise");
    }

    @Test
    @DisplayName("CREATE TABLE AS and what reads only: the one is refused, the other passed over")
    void otherStatements() {
        assertThat(explained("SELECT * FROM numbers", "SHOW TABLES")).isEmpty();
        assertThat(
                        explained(
                                        lake("s3://lake/t", "parquet", "")
                                                        .replaceFirst("\\(id .*?\\) ", "")
                                                        .replaceFirst(
                                                                "PARTITIONED BY \\(`day`\\) ", "")
                                                + " AS SELECT * FROM numbers")
                                .toString())
                .contains("Write it as CREATE TABLE and INSERT INTO");
    }
}
