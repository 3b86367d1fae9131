package io.partitionbridge.writer;

import io.partitionbridge.control.PythonInterpreter;
import io.partitionbridge.control.WriterLaunch;
import io.partitionbridge.credentials.StoreSettings;
import io.partitionbridge.faultpoint.FaultPoints;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;

/** How a subtask starts its writer: interpreter, budget, store (docs/protocol.md, "Start"). */
final class Bootstrap {

    private static final long MIB = 1L << 20;
    private static final long INLINE_LIMIT = 32 * MIB;

    /** The JobManager refuses states over 5 MiB. */
    private static final long INLINE_LIMIT_ON_JOBMANAGER = 4 * MIB;

    private static final long LARGEST_BATCH = 4 * MIB;
    private static final int BATCHES_IN_BUDGET = 32;

    private static final Duration START_LIMIT = Duration.ofSeconds(120);

    /** Far below task.cancellation.timeout (180 s). */
    private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(20);

    private final WriterSpec spec;
    private final Configuration job;
    private final Configuration taskManager;

    Bootstrap(WriterSpec spec, Configuration job, Configuration taskManager) {
        this.spec = spec;
        this.job = job;
        this.taskManager = taskManager;
    }

    /** Bytes of a batch: a small part of the budget, since builder and writer hold some at once. */
    long batchBytes() {
        return Math.min(LARGEST_BATCH, Math.max(1, spec.writerMemory() / BATCHES_IN_BUDGET));
    }

    /** The largest batch for which the writer is sure to grant credit (docs/protocol.md). */
    long largestBatch() {
        return processMemory() / 8;
    }

    WriterLaunch launch(TaskInfo task, TableLocation location, Map<String, String> environment) {
        HostFormat format = spec.hostFormat();
        return launch(
                task,
                location,
                environment,
                format == null,
                format == null ? HostFormat.UNCOMPRESSED : format.compression());
    }

    /** A process that encodes nothing, and so needs no pyarrow. */
    WriterLaunch launchForCommits(
            TaskInfo task, TableLocation location, Map<String, String> environment) {
        return launch(task, location, environment, false, HostFormat.UNCOMPRESSED);
    }

    private WriterLaunch launch(
            TaskInfo task,
            TableLocation location,
            Map<String, String> environment,
            boolean encodes,
            String compression) {
        Map<String, Object> configuration = new LinkedHashMap<>();
        configuration.put("subtask", task.getIndexOfThisSubtask());
        configuration.put("parallelism", task.getNumberOfParallelSubtasks());
        configuration.put("attempt", task.getAttemptNumber());
        configuration.put("table", spec.tableName());
        configuration.put("bucket", location.bucket());
        configuration.put("prefix", location.prefix());
        configuration.put("encoder", encodes ? "arrow" : "host");
        configuration.put("compression", compression);
        configuration.put("schema", encodes ? null : spec.schemaFingerprint());
        configuration.put("format_options", spec.formatOptions());
        configuration.put("part_size", spec.partSize());
        configuration.put("upload_concurrency", spec.uploadConcurrency());
        configuration.put("commit_concurrency", spec.commitConcurrency());
        configuration.put("checksum", spec.checksum());
        configuration.put("conditional", spec.conditional());
        configuration.put("inline_threshold", spec.inlineThreshold());
        configuration.put("inline_limit", inlineLimit() - inlineLimitOfOpen());
        configuration.put("memory", processMemory());
        configuration.put("missing_upload", spec.missingUpload());
        StoreSettings store = new StoreSettings(taskManager, URI.create(location.pathOf("")));
        configuration.put("store", store.resolve(environment));
        configuration.put("fault_points", taskManager.get(FaultPoints.FOLDER));
        return new WriterLaunch(
                List.of(
                        PythonInterpreter.of(spec.pythonExecutable(), job, taskManager),
                        "-m",
                        "partition_bridge.writer"),
                environment,
                configuration,
                store::currentKeys,
                START_LIMIT,
                SHUTDOWN_LIMIT,
                spec.tableName()
                        + " (subtask "
                        + (task.getIndexOfThisSubtask() + 1)
                        + "/"
                        + task.getNumberOfParallelSubtasks()
                        + ")");
    }

    /**
     * sink.writer.memory is for the process and its builder here (I8), which doubles as it grows.
     */
    private long processMemory() {
        long shared = spec.writerMemory() - 2 * batchBytes();
        return Math.max(shared, Math.min(spec.writerMemory(), 2 * spec.partSize()));
    }

    /**
     * Bytes that open files may have in the state; the rest of the limit is for small files. Of a
     * Parquet file more than a part may be there: rows that aren't worth a row group yet.
     */
    long inlineLimitOfOpen() {
        if (!spec.filesSpanCheckpoints()) {
            return 0;
        }
        return spec.hostFormat() == null
                ? Math.min(inlineLimit() / 4 * 3, processMemory() / 4)
                : Math.min(inlineLimit() / 2, processMemory() / 8);
    }

    private long inlineLimit() {
        if (spec.inlineLimit() >= 0) {
            return spec.inlineLimit();
        }
        return onJobManager() ? INLINE_LIMIT_ON_JOBMANAGER : INLINE_LIMIT;
    }

    private boolean onJobManager() {
        String storage =
                job.getOptional(CheckpointingOptions.CHECKPOINT_STORAGE)
                        .or(() -> taskManager.getOptional(CheckpointingOptions.CHECKPOINT_STORAGE))
                        .orElse(null);
        if (storage != null) {
            return storage.equals("jobmanager");
        }
        return job.getOptional(CheckpointingOptions.CHECKPOINTS_DIRECTORY).isEmpty()
                && taskManager.getOptional(CheckpointingOptions.CHECKPOINTS_DIRECTORY).isEmpty();
    }
}
