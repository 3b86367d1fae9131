package io.partitionbridge.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A table of the bridge is read by Flink's source, which gets the options that are for it. */
class BridgeSourceTest {

    private static final String COLUMNS =
            "id BIGINT, file STRING METADATA FROM 'file.name', path STRING METADATA FROM 'file.path',"
                    + " size BIGINT METADATA FROM 'file.size',"
                    + " changed TIMESTAMP_LTZ(3) METADATA FROM 'file.modification-time'";

    @TempDir private Path folder;

    private final TableEnvironment tables =
            TableEnvironment.create(EnvironmentSettings.inBatchMode());

    @BeforeEach
    void twoFiles() throws IOException {
        Files.writeString(folder.resolve("one.csv"), "1\n");
        Files.writeString(folder.resolve("two.csv"), "2\n22\n");
    }

    @Test
    @SuppressWarnings("try") // as ids
    @DisplayName("A row knows path, name, size and time of its file.")
    void readsMetadata() throws Exception {
        create(tables, COLUMNS, Map.of());

        List<String> found = new ArrayList<>();
        try (CloseableIterator<Row> rows = tables.executeSql("SELECT * FROM t").collect()) {
            rows.forEachRemaining(row -> found.add(row.toString()));
        }

        assertThat(found)
                .containsExactlyInAnyOrder(
                        row(1, "one.csv"), row(2, "two.csv"), row(22, "two.csv"));
    }

    /** A row that is read from a file, as it prints. */
    private String row(long id, String name) throws IOException {
        Path file = folder.resolve(name);
        return Row.of(
                        id,
                        name,
                        file.toString(),
                        Files.size(file),
                        Files.getLastModifiedTime(file).toInstant().truncatedTo(ChronoUnit.MILLIS))
                .toString();
    }

    @Test
    @DisplayName("Only files whose path matches 'source.path.regex-pattern' are read.")
    void readsFilesThatMatch() throws Exception {
        create(tables, "id BIGINT", Map.of("source.path.regex-pattern", ".*/t[a-z]+\\.csv"));

        assertThat(ids(tables)).as("of the other file none").containsExactlyInAnyOrder(2L, 22L);
    }

    @Test
    @DisplayName("The planner learns the number of rows, unless 'source.report-statistics' = NONE.")
    void reportsStatisticsUnlessAskedNotTo() {
        create(tables, "id BIGINT", Map.of());
        String informed = tables.explainSql("SELECT * FROM t", ExplainDetail.ESTIMATED_COST);
        tables.executeSql("DROP TABLE t");
        create(tables, "id BIGINT", Map.of("source.report-statistics", "NONE"));
        String guessed = tables.explainSql("SELECT * FROM t", ExplainDetail.ESTIMATED_COST);

        assertThat(informed).as("from the files").contains("rowcount = 3.0");
        assertThat(guessed).as("Flink's guess").contains("rowcount = 1.0E8");
    }

    @Test
    @SuppressWarnings("try") // as ids
    @DisplayName("With 'source.monitor-interval' files that come later are read, too.")
    void watchesAFolder() throws Exception {
        TableEnvironment stream = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
        create(stream, "id BIGINT", Map.of("source.monitor-interval", "50 ms"));

        List<Object> ids = new ArrayList<>();
        try (CloseableIterator<Row> rows = stream.executeSql("SELECT id FROM t").collect()) {
            for (int row = 0; row < 3; row++) {
                ids.add(rows.next().getField("id"));
            }
            Files.writeString(folder.resolve(".later"), "3\n");
            Files.move(folder.resolve(".later"), folder.resolve("later.csv"));
            assertThat(rows.hasNext()).as("the query goes on").isTrue();
            ids.add(rows.next().getField("id"));
        }

        assertThat(ids.subList(0, 3)).containsExactlyInAnyOrder(1L, 2L, 22L);
        assertThat(ids.get(3)).as("the file that came later").isEqualTo(3L);
    }

    private void create(TableEnvironment environment, String columns, Map<String, String> more) {
        StringBuilder options = new StringBuilder();
        Map<String, String> all = new TreeMap<>(Map.of("format", "csv"));
        all.putAll(more);
        all.forEach((key, value) -> options.append(", '" + key + "' = '" + value + "'"));
        environment.executeSql(
                "CREATE TABLE t ("
                        + columns
                        + ") WITH ('connector' = 'filesystem-bridge', 'path' = '"
                        + folder.toUri()
                        + "'"
                        + options
                        + ")");
    }

    @SuppressWarnings("try") // Flink's iterator may throw anything when it's closed
    private static List<Object> ids(TableEnvironment environment) throws Exception {
        List<Object> ids = new ArrayList<>();
        try (CloseableIterator<Row> rows = environment.executeSql("SELECT id FROM t").collect()) {
            rows.forEachRemaining(row -> ids.add(row.getField("id")));
        }
        return ids;
    }
}
