package io.partitionbridge.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.table.api.bridge.java.StreamStatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ids by which a savepoint's state finds the bridge's operators again. */
class OperatorUidsTest {

    private static final String INSERT = "INSERT INTO t SELECT * FROM source";
    private static final String TABLE = "partition-bridge:default_catalog.default_database.t";

    private final StreamExecutionEnvironment environment =
            StreamExecutionEnvironment.getExecutionEnvironment();
    private final SqlPlans sql = SqlPlans.over(StreamTableEnvironment.create(environment));

    @BeforeEach
    void createTable() {
        sql.sink("t", Map.of());
    }

    @Test
    @DisplayName("Every operator has a uid, whatever the parallelism and chaining.")
    void independentOfChaining() {
        environment.setParallelism(1);
        List<String> alone = uids(INSERT);
        environment.setParallelism(3);
        environment.disableOperatorChaining();

        assertThat(uids(INSERT))
                .as("rescaling from parallelism 1 keeps state")
                .isEqualTo(alone)
                .contains(TABLE + ":streaming-writer", TABLE + ":partition-committer");
    }

    @Test
    @DisplayName("Two inserts of one job into the same table have uids of their own.")
    void twoInsertsOfOneJob() {
        // Into a static partition, since the planner makes one sink of inserts that only differ in
        // their query.
        String other = "INSERT INTO t PARTITION (`day` = 'x') SELECT id, v FROM source";

        assertThat(uids(INSERT, other))
                .as("numbered in the order of the statements")
                .contains(TABLE + ":streaming-writer", TABLE + "#2:streaming-writer");
    }

    @Test
    @DisplayName("A later job of the same session has the uids of the first.")
    void laterJobOfSession() {
        List<String> first = uids(INSERT);

        assertThat(uids(INSERT)).as("its savepoint fits").isEqualTo(first);
    }

    @Test
    @DisplayName("The committer is never chained to the writer, not even at parallelism 1.")
    void committerHasATaskOfItsOwn() {
        environment.setParallelism(1);

        assertThat(graph(INSERT).getJobGraph().getVertices())
                .extracting(JobVertex::getName)
                .as("it counts the channels of its writers")
                .anyMatch(name -> name.contains(BridgeTopology.WRITER_NAME))
                .anyMatch(name -> name.contains(BridgeTopology.COMMITTER_NAME))
                .noneMatch(
                        name ->
                                name.contains(BridgeTopology.WRITER_NAME)
                                        && name.contains(BridgeTopology.COMMITTER_NAME));
    }

    @Test
    @DisplayName(
            "The end behind a committer, of largest parallelism 1, isn't the one behind a writer.")
    void anOperatorHasOneLargestParallelism() {
        List<StreamNode> committed = ends(INSERT);
        sql.tables.executeSql("DROP TABLE t");
        sql.plainSink("t", Map.of());
        List<StreamNode> written = ends(INSERT);

        assertThat(committed)
                .as("as its committer's task, chained to it or not")
                .extracting(StreamNode::getMaxParallelism)
                .containsExactly(1);
        assertThat(written)
                .as("as its writer's task")
                .extracting(StreamNode::getMaxParallelism)
                .containsExactly(-1);
        assertThat(written.get(0).getTransformationUID())
                .as("or Flink would refuse a savepoint once a policy is added")
                .isNotEqualTo(committed.get(0).getTransformationUID());
    }

    private List<StreamNode> ends(String insert) {
        return graph(insert).getStreamNodes().stream()
                .filter(node -> node.getOperatorName().contains(BridgeTopology.END_NAME))
                .toList();
    }

    @ParameterizedTest(name = "table.exec.uid.generation = {0}")
    @ValueSource(strings = {"PLAN_ONLY", "ALWAYS", "DISABLED"})
    @DisplayName("No savepoint of one sink fits the other: Flink refuses it with 'Cannot map'.")
    void nothingInCommonWithFlinksSink(String generation) {
        sql.tables.getConfig().set("table.exec.uid.generation", generation);
        // A vertex for each operator, so that ids and names go together.
        environment.disableOperatorChaining();
        sql.sink("fallen_back", Map.of("auto-compaction", "true"));

        assertThat(uids(INSERT))
                .as("set apart from the uids that the planner gives to Flink's sink")
                .filteredOn(uid -> uid.contains("streaming-writer"))
                .singleElement()
                .asString()
                .contains("partition-bridge");
        Map<String, Set<OperatorID>> bridge = operators(INSERT);
        Map<String, Set<OperatorID>> flink =
                operators("INSERT INTO fallen_back SELECT * FROM source");
        assertThat(bridge.keySet()).anyMatch(name -> name.contains(BridgeTopology.WRITER_NAME));
        assertThat(flink.keySet())
                .as("it's Flink's")
                .anyMatch(name -> name.contains("Flink's sink"));
        assertThat(all(flink))
                .as("state of the bridge has no operator in a table that falls back")
                .doesNotContainAnyElementsOf(sink(bridge, BridgeTopology.WRITER_NAME))
                .doesNotContainAnyElementsOf(sink(bridge, BridgeTopology.COMMITTER_NAME));
        assertThat(all(bridge))
                .as("state of Flink's sink has no operator in the bridge")
                .doesNotContainAnyElementsOf(sink(flink, "Flink's sink"));
    }

    /** By the operators' names, the ids under which Flink looks for state: given and generated. */
    private Map<String, Set<OperatorID>> operators(String insert) {
        Map<String, Set<OperatorID>> ids = new HashMap<>();
        for (JobVertex vertex : graph(insert).getJobGraph().getVertices()) {
            Set<OperatorID> ofVertex = ids.computeIfAbsent(vertex.getName(), n -> new HashSet<>());
            for (OperatorIDPair pair : vertex.getOperatorIDs()) {
                ofVertex.add(pair.getGeneratedOperatorID());
                pair.getUserDefinedOperatorID().ifPresent(ofVertex::add);
            }
        }
        return ids;
    }

    private static Set<OperatorID> all(Map<String, Set<OperatorID>> operators) {
        return sink(operators, "");
    }

    private static Set<OperatorID> sink(Map<String, Set<OperatorID>> operators, String name) {
        return operators.entrySet().stream()
                .filter(entry -> entry.getKey().contains(name))
                .flatMap(entry -> entry.getValue().stream())
                .collect(Collectors.toSet());
    }

    private List<String> uids(String... inserts) {
        StreamGraph graph = graph(inserts);
        assertThat(graph.getJobGraph()).as("no two operators share an id").isNotNull();
        return graph.getStreamNodes().stream()
                .map(StreamNode::getTransformationUID)
                .filter(Objects::nonNull)
                .sorted()
                .toList();
    }

    private StreamGraph graph(String... inserts) {
        StreamStatementSet statements = ((StreamTableEnvironment) sql.tables).createStatementSet();
        for (String insert : inserts) {
            statements.addInsertSql(insert);
        }
        statements.attachAsDataStream();
        return environment.getStreamGraph();
    }
}
