package io.partitionbridge.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.partitionbridge.Logged;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.table.api.ValidationException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Everything that makes Flink's own sink write a table: nothing else does. */
class FallbackTest {

    private static final String NO_S3 = "'path' isn't on s3:// or s3a://";
    private static final Map<String, String> FORBID = Map.of("sink.fallback", "forbid");
    private static final String WITHOUT_KEY =
            "The bridge can't translate it; remove it or reach the store without it.";

    /**
     * @param options of the table
     * @param configuration of Flink
     * @param reason as the operator's name has it
     */
    private record Case(
            String what,
            Map<String, String> options,
            Map<String, String> configuration,
            String reason,
            String remedy) {

        @Override
        public String toString() {
            return what;
        }

        /** A table of this case, with options over its own. */
        SqlPlans table(Map<String, String> more) {
            SqlPlans sql = SqlPlans.streaming();
            configuration.forEach(sql.tables.getConfig()::set);
            Map<String, String> all = new TreeMap<>(options);
            all.putAll(more);
            return sql.sink("t", all);
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                path("file:///tmp/t"),
                path("hdfs://namenode/t"),
                path("oss://lake/t"),
                path("gs://lake/t"),
                path("abfss://lake@account/t"),
                path("s3p://lake/t"),
                key(
                        "client-side encryption of s3-fs-hadoop",
                        "fs.s3a.encryption.algorithm",
                        "CSE-KMS"),
                key(
                        "client-side encryption of s3-fs-presto",
                        "presto.s3.encryption-materials-provider",
                        "com.example.Materials"),
                provider("a credential provider of one's own", "fs.s3a.aws.credentials.provider"),
                provider("a credential provider of presto", "presto.s3.credentials-provider"),
                key("an access key that no table has", "s3.some-new-way-in", "secret-value"),
                key("a proxy that speaks NTLM", "fs.s3a.proxy.domain", "secret-value"),
                key("tokens of Hadoop's own", "fs.s3a.delegation.token.binding", "secret-value"),
                key("a signer of one's own", "fs.s3a.signing-algorithm", "secret-value"),
                key("a list of signers", "fs.s3a.custom.signers", "secret-value"),
                key("clients of one's own", "fs.s3a.s3.client.factory.impl", "secret-value"),
                key("a class for each request", "fs.s3a.audit.request.handlers", "secret-value"),
                key(
                        "delegation tokens of an unknown service",
                        "security.delegation.token.provider.s3-own.secret-key",
                        "secret-value"),
                compaction());
    }

    private static Case path(String path) {
        return new Case(
                path.replaceAll(":.*", ":"),
                Map.of("path", path),
                Map.of(),
                NO_S3,
                "Write the 'path' as s3://bucket/folder.");
    }

    private static Case key(String what, String key, String value) {
        return new Case(
                what,
                Map.of(),
                Map.of(key, value),
                "'" + key + "' of Flink's configuration",
                WITHOUT_KEY);
    }

    private static Case provider(String what, String key) {
        return new Case(
                what,
                Map.of(),
                Map.of(key, "com.example.Vault"),
                "'" + key + "' of Flink's configuration",
                "The bridge can't call 'com.example.Vault': put its jar");
    }

    private static Case compaction() {
        return new Case(
                "auto-compaction",
                Map.of("auto-compaction", "true"),
                Map.of(),
                "'auto-compaction' = 'true'",
                "It deletes files that retained checkpoints and savepoints still need");
    }

    @ParameterizedTest
    @MethodSource("cases")
    @DisplayName("The names of the operators in the plan tell that Flink's sink writes, and why.")
    void marksOperators(Case given) {
        // Flink's sink of Parquet looks for the store's plugin at planning, that of csv doesn't.
        String plan = given.table(Map.of("format", "csv")).planInsertInto("t");

        assertThat(plan).contains("(Flink's sink: " + given.reason + ")");
        assertThat(plan).as("no value of a key is shown").doesNotContain("secret-value");
        assertThat(plan).doesNotContain("BridgeFileWriter");
    }

    @ParameterizedTest
    @MethodSource("cases")
    @DisplayName("One warning names the table, the reason and what to change.")
    void warns(Case given) {
        SqlPlans sql = given.table(Map.of("format", "csv"));
        try (Logged warnings = Logged.warnings(BridgeTableSink.class)) {
            sql.planInsertInto("t");

            assertThat(warnings.messages)
                    .singleElement()
                    .asString()
                    .startsWith(
                            "default_catalog.default_database.t is written by Flink's own sink: "
                                    + given.reason
                                    + ". ")
                    .contains(given.remedy)
                    .doesNotContain("secret-value");
        }
    }

    @Test
    @DisplayName("The warning of auto-compaction names what makes large files without its hazard.")
    void namesTheCureOfCompaction() {
        assertThatThrownBy(() -> compaction().table(FORBID).planInsertInto("t"))
                .hasMessageContaining("Remove 'auto-compaction'")
                .hasMessageContaining("'sink.rolling-policy.roll-on-checkpoint' = 'false'");
        assertThat(
                        SqlPlans.streaming()
                                .sink(
                                        "t",
                                        Map.of(
                                                "sink.fallback",
                                                "forbid",
                                                "sink.rolling-policy.roll-on-checkpoint",
                                                "false"))
                                .planInsertInto("t"))
                .as("the cure is the bridge's")
                .contains("BridgeFileWriter");
    }

    @ParameterizedTest
    @MethodSource("cases")
    @DisplayName("Where fallback is forbidden, the error names the reason and what to change.")
    void refusesWhereForbidden(Case given) {
        SqlPlans sql = given.table(FORBID);

        assertThatThrownBy(() -> sql.planInsertInto("t"))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining(
                        "The bridge can't write default_catalog.default_database.t: "
                                + given.reason
                                + ".")
                .hasMessageContaining(given.remedy)
                .hasMessageContaining("Or set 'sink.fallback' = 'allow' to use Flink's own sink.")
                .hasMessageNotContaining("secret-value");
    }

    @Test
    @DisplayName(
            "Updates with 'sink.parallelism' are refused in Flink's words and never fall back; inserts are bridged.")
    void changelogsDoNotFallBack() {
        Map<String, String> parallel = Map.of("format", "debezium-json", "sink.parallelism", "2");
        String updates = "INSERT INTO t SELECT count(*), v, `day` FROM source GROUP BY v, `day`";

        assertThatThrownBy(() -> SqlPlans.streaming().plainSink("t", parallel).plan(updates))
                .hasMessageContaining(
                        "doesn't support setting parallelism (2) by 'sink.parallelism'");
        assertThat(SqlPlans.streaming().sink("t", parallel).planInsertInto("t"))
                .contains("BridgeFileWriter (Flink's format)")
                .doesNotContain("Flink's sink");
    }
}
