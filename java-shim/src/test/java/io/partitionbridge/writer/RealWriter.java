package io.partitionbridge.writer;

import io.partitionbridge.HarnessMetrics;
import io.partitionbridge.committer.FileReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.runtime.util.TestingTaskManagerRuntimeInfo;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFinalizer;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;

/**
 * The writer operator in Flink's harness, with a real Python writer and a real S3 server.
 *
 * <p>Both come from the environment: PARTITION_BRIDGE_PYTHON (interpreter), PYTHONPATH,
 * PARTITION_BRIDGE_S3 (endpoint), PARTITION_BRIDGE_S3_KEY, PARTITION_BRIDGE_S3_SECRET and
 * PARTITION_BRIDGE_S3_BUCKET.
 */
final class RealWriter implements AutoCloseable {

    static final RowType ROW =
            RowType.of(
                    new LogicalType[] {
                        new BigIntType(),
                        new VarCharType(VarCharType.MAX_LENGTH),
                        new VarCharType(VarCharType.MAX_LENGTH)
                    },
                    new String[] {"id", "name", "day"});

    final OneInputStreamOperatorTestHarness<RowData, FileReport> harness;

    final HarnessMetrics metrics = new HarnessMetrics();

    /**
     * @param overrides of the TaskManager's configuration, "without-checkpointing",
     *     "without-final-checkpoint" and "sink.restore.missing-upload"
     */
    RealWriter(String folder, Map<String, String> overrides) throws Exception {
        this(folder, overrides, null, null);
    }

    /**
     * @param format that encodes in the task, or null for pyarrow
     * @param commitOptions of a table whose partitions are committed, or null
     */
    RealWriter(
            String folder,
            Map<String, String> overrides,
            HostFormat format,
            Configuration commitOptions)
            throws Exception {
        Configuration taskManager = new Configuration();
        taskManager.setString("python.executable", given("PARTITION_BRIDGE_PYTHON"));
        taskManager.setString("s3.endpoint", given("PARTITION_BRIDGE_S3"));
        taskManager.setString("s3.path.style.access", "true");
        taskManager.setString("s3.access-key", given("PARTITION_BRIDGE_S3_KEY"));
        taskManager.setString("s3.secret-key", given("PARTITION_BRIDGE_S3_SECRET"));
        overrides.forEach(taskManager::setString);
        MockEnvironment environment =
                new MockEnvironmentBuilder()
                        .setTaskName("writer")
                        .setMaxParallelism(128)
                        .setParallelism(1)
                        .setMetricGroup(metrics)
                        .setTaskManagerRuntimeInfo(new TestingTaskManagerRuntimeInfo(taskManager))
                        .build();
        if (!overrides.containsKey("without-checkpointing")) {
            environment
                    .getJobConfiguration()
                    .set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
        }
        environment
                .getTaskConfiguration()
                .set(
                        CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH,
                        !overrides.containsKey("without-final-checkpoint"));
        harness =
                new OneInputStreamOperatorTestHarness<>(
                        new BridgeFileWriter(
                                spec(
                                        folder,
                                        overrides.getOrDefault(
                                                "sink.restore.missing-upload", "fail"),
                                        format,
                                        commitOptions)),
                        environment);
    }

    private static WriterSpec spec(
            String folder, String missingUpload, HostFormat format, Configuration commitOptions) {
        long mib = 1 << 20;
        return new WriterSpec(
                "default_catalog.default_database.t",
                "s3://" + given("PARTITION_BRIDGE_S3_BUCKET") + "/" + folder,
                ROW,
                List.of("day"),
                "__DEFAULT_PARTITION__",
                "part",
                "",
                Map.of(),
                128 * mib,
                1_800_000,
                1_800_000,
                60_000,
                true,
                commitOptions,
                5 * mib,
                4,
                16,
                "auto",
                "auto",
                0,
                256 * mib,
                -1,
                missingUpload,
                format,
                null);
    }

    private static String given(String name) {
        return Objects.requireNonNull(
                System.getenv(name), "the environment has no " + name + "; see RealWriter");
    }

    static RowData row(long id, String name, String day) {
        return GenericRowData.of(id, StringData.fromString(name), StringData.fromString(day));
    }

    RealWriter open(OperatorSubtaskState restored) throws Exception {
        harness.setup();
        if (restored == null) {
            harness.initializeEmptyState();
        } else {
            harness.initializeState(restored);
        }
        harness.open();
        return this;
    }

    void rows(String day, long from, long to) throws Exception {
        for (long id = from; id < to; id++) {
            harness.processElement(row(id, "name-" + id, day), id);
        }
    }

    /** Takes a checkpoint's synchronous part; the asynchronous one is run by whoever wants it. */
    OperatorSnapshotFutures snapshotBegins(long checkpoint) throws Exception {
        return harness.getOneInputOperator()
                .snapshotState(
                        checkpoint,
                        checkpoint,
                        CheckpointOptions.forCheckpointWithDefaultLocation(),
                        new MemCheckpointStreamFactory(1 << 20));
    }

    /** The asynchronous part, as another thread runs it after the task thread has gone on. */
    static OperatorSubtaskState snapshotEnds(OperatorSnapshotFutures begun) throws Exception {
        return OperatorSnapshotFinalizer.create(begun).getJobManagerOwnedState();
    }

    /** What a bucket's rule for incomplete uploads does in time: none under the folder is left. */
    static void expireUploads(String folder) throws Exception {
        ProcessBuilder command =
                new ProcessBuilder(
                        given("PARTITION_BRIDGE_PYTHON"),
                        "-m",
                        "partition_bridge.cli",
                        "orphans",
                        "s3://" + given("PARTITION_BRIDGE_S3_BUCKET") + "/" + folder,
                        "--no-checkpoints",
                        "--abort");
        command.environment().put("AWS_ENDPOINT_URL", given("PARTITION_BRIDGE_S3"));
        command.environment().put("AWS_ACCESS_KEY_ID", given("PARTITION_BRIDGE_S3_KEY"));
        command.environment().put("AWS_SECRET_ACCESS_KEY", given("PARTITION_BRIDGE_S3_SECRET"));
        int exit = command.redirectErrorStream(true).inheritIO().start().waitFor();
        if (exit != 0) {
            throw new AssertionError("orphans ended with " + exit);
        }
    }

    /** Waits until the writer process has told its numbers, with that of its part. */
    void awaitMetrics() throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (metrics.value("partUploadMs").equals(0L) && System.nanoTime() < deadline) {
            Thread.sleep(50);
        }
    }

    List<FileReport> takeReports() {
        List<FileReport> reports = new ArrayList<>(harness.extractOutputValues());
        harness.getOutput().clear();
        return reports;
    }

    @Override
    public void close() {
        try {
            harness.close();
        } catch (Exception e) {
            throw new AssertionError("The operator could not be closed", e);
        }
    }
}
