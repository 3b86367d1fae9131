package io.partitionbridge.writer;

import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;

/** What checkpoints a job takes; it decides when the files of the end of input are completed. */
enum CheckpointMode {
    /** Nothing is ever notified: the end of input completes everything. */
    NONE,
    /** Checkpoints end with the input, so there the rest is completed at once. */
    BEFORE_END,
    /** One more checkpoint follows the end of input, and its notification completes the rest. */
    WITH_FINAL;

    /**
     * @param job configuration of the job
     * @param task configuration of the task, where Flink's own StreamTask looks as well
     */
    static CheckpointMode of(Configuration job, Configuration task) {
        if (!takesCheckpoints(job)) {
            return NONE;
        }
        return task.get(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH)
                ? WITH_FINAL
                : BEFORE_END;
    }

    /** As CheckpointingOptions.isCheckpointingEnabled of Flink 2.2, which 2.1 doesn't have. */
    private static boolean takesCheckpoints(Configuration job) {
        return job.get(ExecutionOptions.RUNTIME_MODE) != RuntimeExecutionMode.BATCH
                && job.getOptional(CheckpointingOptions.CHECKPOINTING_INTERVAL)
                        .filter(interval -> interval.toMillis() > 0)
                        .isPresent();
    }
}
