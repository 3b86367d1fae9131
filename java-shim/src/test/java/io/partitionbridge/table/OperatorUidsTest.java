package io.partitionbridge.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.table.api.bridge.java.StreamStatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

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
