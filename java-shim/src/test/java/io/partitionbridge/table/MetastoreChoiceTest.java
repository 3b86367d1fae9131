package io.partitionbridge.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which metastore a table's DDL asks for, and what is refused at planning. */
class MetastoreChoiceTest {

    private static final String KIND = "sink.partition-commit.policy.kind";

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = ';',
            value = {
                "policy.kind=metastore metastore=hive; Set 'metastore.uri' = 'thrift://host:9083'",
                "policy.kind=success-file metastore=glue; 'metastore' = 'glue' is without effect",
                "policy.kind=success-file metastore.uri=thrift://h:1; 'metastore.uri' is for a metastore, and the table has none",
                "policy.kind=metastore metastore=glue metastore.uri=thrift://h:1; 'metastore.uri' is no option of 'metastore' = 'glue'",
                "policy.kind=metastore metastore=hive metastore.uri=thrift://h:1 metastore.region=x; 'metastore.region' is no option of 'metastore' = 'hive'",
                "policy.kind=metastore metastore=glue metastore.tabel=x; 'metastore.tabel' is no option of 'metastore' = 'glue'",
                "policy.kind=metastores metastore=glue; Unsupported policy 'metastores'",
                "policy.kind=metastore metastore=glue metastore.retry-timeout=soon; Could not parse value 'soon' for key 'metastore.retry-timeout'",
            })
    @DisplayName("What fits no metastore is refused at planning, in streaming and in batch.")
    void refusesWhatFitsNoMetastore(String given, String message) {
        for (SqlPlans plans : new SqlPlans[] {SqlPlans.streaming(), SqlPlans.batch()}) {
            SqlPlans sql = plans.sink("t", options(given));

            assertThatThrownBy(() -> sql.planInsertInto("t"))
                    .as("says what to set")
                    .hasStackTraceContaining(message);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "policy.kind=metastore metastore=hive metastore.uri=thrift://h:1 metastore.tls=true",
        "'policy.kind=metastore,success-file metastore=glue metastore.region=eu-west-1'",
        "policy.kind=METASTORE metastore=ours metastore.whatever=x",
    })
    @DisplayName("Hive, Glue and an entry point with options of its own are planned as ever.")
    void plansWithAMetastore(String given) {
        assertThat(SqlPlans.streaming().sink("t", options(given)).planInsertInto("t"))
                .as("streaming")
                .contains(BridgeTopology.COMMITTER_NAME);
        assertThat(SqlPlans.batch().sink("t", options(given)).planInsertInto("t"))
                .as("batch")
                .contains(BatchTopology.COMMITTER_NAME);
    }

    @Test
    @DisplayName(
            "A policy without its metastore is refused in Flink's very words; what to do is the cause.")
    void refusesAPolicyWithoutAMetastoreAsFlinkDoes() {
        SqlPlans sql = SqlPlans.streaming().sink("t", Map.of(KIND, "metastore"));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .as("FsStreamingSinkITCaseBase.testMetastorePolicy compares the message")
                .hasMessage(
                        "Can not configure a 'metastore' partition commit policy for a file system table. You can only configure 'metastore' partition commit policy for a hive table.")
                .cause()
                .hasMessageContaining(
                        "set 'metastore' = 'hive', 'glue' or the name of a Python entry point");
    }

    @Test
    @DisplayName("In batch a policy without its metastore has no effect, as in Flink.")
    void ignoresAPolicyWithoutAMetastoreInBatchAsFlinkDoes() {
        SqlPlans sql = SqlPlans.batch().sink("t", Map.of(KIND, "metastore,success-file"));

        assertThat(sql.planInsertInto("t")).contains(BatchTopology.COMMITTER_NAME);
    }

    @Test
    @DisplayName("Flink's own sink knows no metastore, so a table that falls back is refused.")
    void refusesAFallback() {
        SqlPlans sql =
                SqlPlans.batch()
                        .sink(
                                "t",
                                Map.of("path", "/tmp/t", KIND, "metastore", "metastore", "glue"));

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .hasStackTraceContaining("'metastore' = 'glue' can't be honoured for")
                .hasStackTraceContaining("Or remove 'metastore'.");
    }

    private static Map<String, String> options(String given) {
        return Arrays.stream(given.split(" "))
                .map(option -> option.split("=", 2))
                .collect(
                        Collectors.toMap(
                                option -> option[0].equals("policy.kind") ? KIND : option[0],
                                option -> option[1]));
    }
}
