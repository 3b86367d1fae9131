package io.partitionbridge.table;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.TableEnvironment;

/** Plans INSERTs with Flink's own planner, as a user's SQL would. */
final class SqlPlans {

    final TableEnvironment tables;

    private SqlPlans(TableEnvironment tables) {
        this.tables = tables;
        tables.executeSql(
                "CREATE TABLE source (id BIGINT, v STRING, `day` STRING) WITH ("
                        + "'connector' = 'datagen', 'number-of-rows' = '10')");
    }

    static SqlPlans streaming() {
        return new SqlPlans(TableEnvironment.create(EnvironmentSettings.inStreamingMode()));
    }

    static SqlPlans over(TableEnvironment tables) {
        return new SqlPlans(tables);
    }

    static SqlPlans batch() {
        return new SqlPlans(TableEnvironment.create(EnvironmentSettings.inBatchMode()));
    }

    /** A table partitioned by day; {@code options} come over a good bridged table's. */
    SqlPlans sink(String name, Map<String, String> options) {
        return sink(name, "id BIGINT, v STRING", options);
    }

    /** The same with other columns beside the day. */
    SqlPlans sink(String name, String columns, Map<String, String> options) {
        return sink(name, columns, " PARTITIONED BY (`day`)", options);
    }

    SqlPlans plainSink(String name, Map<String, String> options) {
        return sink(name, "id BIGINT, v STRING", "", options);
    }

    private SqlPlans sink(
            String name, String columns, String partitions, Map<String, String> options) {
        Map<String, String> all = new TreeMap<>(good());
        all.putAll(options);
        String with =
                all.entrySet().stream()
                        .map(option -> "'" + option.getKey() + "' = '" + option.getValue() + "'")
                        .collect(Collectors.joining(", "));
        tables.executeSql(
                "CREATE TABLE "
                        + name
                        + " ("
                        + columns
                        + ", `day` STRING)"
                        + partitions
                        + " WITH ("
                        + with
                        + ")");
        return this;
    }

    static Map<String, String> good() {
        return Map.of(
                "connector",
                "filesystem-bridge",
                "path",
                "s3://lake/t",
                "format",
                "parquet",
                "sink.partition-commit.policy.kind",
                "success-file");
    }

    /** The plan with the names of the operators. */
    String plan(String insert) {
        return tables.explainSql(insert, ExplainDetail.JSON_EXECUTION_PLAN);
    }

    String planInsertInto(String sink) {
        return plan("INSERT INTO " + sink + " SELECT * FROM source");
    }
}
