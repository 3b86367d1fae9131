package io.partitionbridge.committer;

import io.partitionbridge.HarnessMetrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.table.EmptyMetaStoreFactory;
import org.apache.flink.connector.file.table.stream.PartitionCommitInfo;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.table.catalog.ObjectIdentifier;

/** The real committer with Flink's success-file policy, over a local folder as the store. */
final class CommitterHarness implements AutoCloseable {

    private final HarnessMetrics metrics = new HarnessMetrics();
    private final Path table;
    private final Committer operator;
    private final OneInputStreamOperatorTestHarness<PartitionCommitInfo, Void> harness;

    private CommitterHarness(Path table, Configuration options, Integer... subtasks)
            throws Exception {
        this.table = table;
        this.operator = new Committer(table, options, subtasks);
        this.harness =
                new OneInputStreamOperatorTestHarness<>(
                        operator,
                        new MockEnvironmentBuilder()
                                .setMaxParallelism(1)
                                .setParallelism(1)
                                .setMetricGroup(metrics)
                                .build());
    }

    static CommitterHarness start(Path table, Configuration options, Integer... subtasks)
            throws Exception {
        CommitterHarness started = new CommitterHarness(table, options, subtasks);
        started.harness.open();
        return started;
    }

    static CommitterHarness restore(
            OperatorSubtaskState state,
            long checkpoint,
            Path table,
            Configuration options,
            Integer... subtasks)
            throws Exception {
        CommitterHarness restored = new CommitterHarness(table, options, subtasks);
        restored.harness.setRestoredCheckpointId(checkpoint);
        restored.harness.initializeState(state);
        restored.harness.open();
        return restored;
    }

    static Configuration processTime(String delay) {
        return Configuration.fromMap(
                Map.of(
                        "sink.partition-commit.policy.kind",
                        "success-file",
                        "sink.partition-commit.delay",
                        delay));
    }

    static Configuration partitionTime() {
        return Configuration.fromMap(
                Map.of(
                        "sink.partition-commit.policy.kind", "success-file",
                        "sink.partition-commit.trigger", "partition-time",
                        "partition.time-extractor.timestamp-pattern", "$day 00:00:00",
                        "sink.partition-commit.delay", "1 d"));
    }

    void report(long checkpoint, int subtask, String... partitions) throws Exception {
        send(new FileReport(checkpoint, subtask, partitions, false, new String[0]));
    }

    void finalReport(long checkpoint, int subtask, String partition, String... files)
            throws Exception {
        send(new FileReport(checkpoint, subtask, new String[] {partition}, true, files));
    }

    private void send(FileReport report) throws Exception {
        harness.processElement(new StreamRecord<>(report));
    }

    void watermark(long millis) throws Exception {
        harness.processWatermark(millis);
    }

    void sourcesAreIdle() throws Exception {
        harness.processWatermarkStatus(WatermarkStatus.IDLE);
    }

    OperatorSubtaskState snapshot(long checkpoint) throws Exception {
        return harness.snapshot(checkpoint, checkpoint);
    }

    void complete(long checkpoint) throws Exception {
        harness.notifyOfCompletedCheckpoint(checkpoint);
    }

    void disconnect(int subtask) {
        operator.connected.remove(subtask);
    }

    void endInput() throws Exception {
        harness.endInput();
    }

    void waitsAtMost(Duration patience) {
        operator.patience = patience;
    }

    String file(String partition) {
        return table.resolve(partition).resolve("part-0").toUri().toString();
    }

    /** What a writer does when its checkpoint is complete. */
    void makeVisible(String partition) throws IOException {
        Files.createDirectories(table.resolve(partition));
        Files.writeString(table.resolve(partition).resolve("part-0"), "rows");
    }

    Object metric(String name) {
        return metrics.value(name);
    }

    Set<String> committed() {
        try (Stream<Path> files = Files.walk(table)) {
            return files.filter(file -> file.endsWith("_SUCCESS"))
                    .map(file -> table.relativize(file.getParent()) + "/")
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            harness.close();
        } catch (Exception e) {
            throw new AssertionError("the committer can't be closed", e);
        }
    }

    /** Its channels are given, since a harness has no input gates. */
    private static final class Committer extends BridgePartitionCommitter {

        private static final long serialVersionUID = 1L;

        private final TreeSet<Integer> connected = new TreeSet<>();
        private Duration patience = super.patience();

        Committer(Path table, Configuration options, Integer... subtasks) {
            super(
                    new org.apache.flink.core.fs.Path(table.toUri()),
                    ObjectIdentifier.of("c", "d", "t"),
                    List.of("day"),
                    new EmptyMetaStoreFactory(new org.apache.flink.core.fs.Path(table.toUri())),
                    FileSystem::get,
                    options);
            connected.addAll(List.of(subtasks));
        }

        @Override
        protected Collection<Integer> connectedSubtasks() {
            return connected;
        }

        @Override
        protected Duration patience() {
            return patience;
        }
    }
}
