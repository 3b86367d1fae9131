package io.partitionbridge.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.table.api.CompiledPlan;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.PlanReference;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.config.TableConfigOptions;
import org.apache.flink.table.api.config.TableConfigOptions.CatalogPlanCompilation;
import org.apache.flink.table.api.config.TableConfigOptions.CatalogPlanRestore;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** COMPILE PLAN with one sink and EXECUTE PLAN with the other. */
class CompiledPlansTest {

    private static final Pattern NODE = Pattern.compile("(\"(?:id|source|target)\" : )(\\d+)");
    private static final String INSERT = "INSERT INTO t SELECT * FROM source";
    private static final Map<String, String> STOCK = Map.of("connector", "filesystem");

    @Test
    @DisplayName(
            "A plan says nothing of whose sink it was compiled with, but the connector's name.")
    void isTheSameForBothSinks() {
        String theirs = numbered(compile(SqlPlans.streaming().sink("t", STOCK)).asJsonString());
        String ours = numbered(compile(SqlPlans.streaming().sink("t", Map.of())).asJsonString());

        assertThat(ours.replace("filesystem-bridge", "filesystem"))
                .as("so with a takeover, where the name is one, either runs the other's")
                .isEqualTo(theirs)
                .isNotEqualTo(ours);
    }

    @Test
    @DisplayName("Flink's plan runs on the bridge, and the bridge's plan on Flink's sink.")
    void runsOnTheOther() {
        String theirs = compile(SqlPlans.streaming().sink("t", STOCK)).asJsonString();
        String ours = theirs.replace("\"filesystem\"", "\"filesystem-bridge\"");
        TableEnvironment elsewhere = SqlPlans.streaming().tables;

        assertThat(operators(elsewhere, ours))
                .as("as after a takeover, when the name is the bridge's")
                .contains("BridgeFileWriter", "PartitionCommitter")
                .doesNotContain("StreamingFileWriter");
        assertThat(operators(elsewhere, theirs))
                .as("and as after its end")
                .contains("StreamingFileWriter")
                .doesNotContain("BridgeFileWriter");
    }

    @Test
    @DisplayName("A plan of identifiers only takes the table's connector as it is now.")
    void followsTheTableThatItNames() {
        SqlPlans sql = SqlPlans.streaming().sink("t", STOCK);
        sql.tables
                .getConfig()
                .set(
                        TableConfigOptions.PLAN_COMPILE_CATALOG_OBJECTS,
                        CatalogPlanCompilation.IDENTIFIER)
                .set(
                        TableConfigOptions.PLAN_RESTORE_CATALOG_OBJECTS,
                        CatalogPlanRestore.IDENTIFIER);
        String plan = compile(sql).asJsonString();
        assertThat(plan).doesNotContain("s3://lake/t");
        sql.tables.executeSql("ALTER TABLE t SET ('connector' = 'filesystem-bridge')");

        assertThat(operators(sql.tables, plan)).contains("BridgeFileWriter");
    }

    private static CompiledPlan compile(SqlPlans sql) {
        return sql.tables.compilePlanSql(INSERT);
    }

    /** With its nodes numbered from 0: Flink counts those of all plans of a JVM. */
    private static String numbered(String plan) {
        Matcher first = NODE.matcher(plan);
        assertThat(first.find()).as("a plan has nodes: %s", plan).isTrue();
        int before = Integer.parseInt(first.group(2));
        return NODE.matcher(plan)
                .replaceAll(node -> node.group(1) + (Integer.parseInt(node.group(2)) - before));
    }

    private static String operators(TableEnvironment tables, String plan) {
        return tables.loadPlan(PlanReference.fromJsonString(plan))
                .explain(ExplainDetail.JSON_EXECUTION_PLAN);
    }
}
