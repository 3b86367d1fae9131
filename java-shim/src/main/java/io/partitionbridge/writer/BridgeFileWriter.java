package io.partitionbridge.writer;

import io.partitionbridge.committer.FileReport;
import io.partitionbridge.control.CommittedFiles;
import io.partitionbridge.control.WriterSession;
import io.partitionbridge.faultpoint.FaultPoints;
import io.partitionbridge.state.BridgeFilesState;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.data.RowData;

/**
 * Writes rows into files of their partitions by a writer process, and reports the partitions of a
 * checkpoint once its files are visible.
 *
 * <pre>
 *   processElement ─► open files ─► frames
 *   snapshotState(n) ─► close files that end here, BARRIER n, elements whose bytes come later (I1)
 *   notifyCheckpointComplete(n) ─► COMMIT n, wait (I2), report n, also when empty (I4)
 *   endInput ─► final report; the final checkpoint's notification completes the files
 * </pre>
 */
public class BridgeFileWriter extends AbstractStreamOperator<FileReport>
        implements OneInputStreamOperator<RowData, FileReport>, BoundedOneInput {

    private static final long serialVersionUID = 1L;

    private final WriterSpec spec;

    private transient RestoredCheckpoint restored;
    private transient BridgeFilesState state;
    private transient SubtaskWriter rows;
    private transient WriterSession writer;
    private transient OpenFiles files;
    private transient SealRule sealRule;
    private transient FaultPoints faultPoints;
    private transient CheckpointedFiles checkpointed;
    private transient CommitLog log;
    private transient CheckpointMode mode;
    private transient boolean savepoint;
    private transient boolean idleHeldBack;
    private transient boolean ended;
    private transient long watermark;
    private transient long lastCompleted;

    public BridgeFileWriter(WriterSpec spec) {
        this.spec = spec;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        state = BridgeFilesState.open(context.getOperatorStateStore());
        restored = new RestoredCheckpoint(state.restored());
    }

    @Override
    public void open() throws Exception {
        super.open();
        Environment environment = getContainingTask().getEnvironment();
        Configuration job = environment.getJobConfiguration();
        faultPoints = FaultPoints.of(environment.getTaskManagerInfo().getConfiguration());
        mode = CheckpointMode.of(job, getContainingTask().getConfiguration().getConfiguration());
        checkpointed = new CheckpointedFiles();
        int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        rows =
                SubtaskWriter.open(
                        spec,
                        this,
                        PartFileNames.ofAttempt(
                                spec.filePrefix(), spec.fileSuffix(), subtask, new SecureRandom()));
        writer = rows.session();
        files = rows.files();
        sealRule =
                SealRule.create(
                        spec, SubtaskProcess.bootstrap(spec, this), getUserCodeClassloader());
        watermark = Long.MIN_VALUE;
        log = new CommitLog(spec.tableName(), spec.location());
        restored.complete(writer, log, rows.gauges()).forEach(checkpointed::restored);
        restored = null;
        scheduleCheck();
    }

    private void scheduleCheck() {
        getProcessingTimeService()
                .registerTimer(
                        getProcessingTimeService().getCurrentProcessingTime()
                                + spec.checkInterval(),
                        time -> {
                            files.rollByTime(time);
                            scheduleCheck();
                        });
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        RowData row = element.getValue();
        rows.write(row, rows.partitionOf(row));
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        super.processWatermark(mark);
        watermark = mark.getTimestamp();
    }

    /** A writer that goes idle no longer holds the watermark; so its rows are sealed first (I5). */
    @Override
    public void processWatermarkStatus(WatermarkStatus status) throws Exception {
        if (status.isIdle() && mode != CheckpointMode.NONE && files.hasUnsealed()) {
            idleHeldBack = true;
        } else if (status.isActive() && idleHeldBack) {
            idleHeldBack = false;
        } else {
            super.processWatermarkStatus(status);
        }
    }

    /** Only here does Flink tell a savepoint from a checkpoint. */
    @Override
    public OperatorSnapshotFutures snapshotState(
            long checkpointId,
            long timestamp,
            CheckpointOptions options,
            CheckpointStreamFactory factory)
            throws Exception {
        savepoint = options.getCheckpointType().isSavepoint();
        return super.snapshotState(checkpointId, timestamp, options, factory);
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        long checkpoint = context.getCheckpointId();
        if (lastCompleted == Long.MAX_VALUE) {
            // The end of input has published everything, and its report is ahead of this barrier.
            state.update(List.of());
        } else {
            CompletableFuture<Void> ready = barrier(checkpoint, sealAtBarrier());
            state.update(checkpointed.elements(checkpoint, files.open(), ready, writer));
        }
        faultPoints.reach("task-snapshot");
        if (idleHeldBack) {
            idleHeldBack = false;
            super.processWatermarkStatus(WatermarkStatus.IDLE);
        }
    }

    private List<OpenFile> sealAtBarrier() throws IOException {
        // What a savepoint names must stay as it is while the job goes on.
        boolean all = savepoint || idleHeldBack;
        return all ? files.seal("checkpoint") : files.seal(sealRule, watermark);
    }

    private CompletableFuture<Void> barrier(long checkpoint, List<OpenFile> closed)
            throws IOException {
        checkpointed.closed(closed);
        int[] stillOpen = files.passBarrier(checkpoint);
        return writer.barrier(checkpoint, savepoint, checkpointed.barrier(checkpoint), stillOpen);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        super.notifyCheckpointComplete(checkpointId);
        if (checkpointId <= lastCompleted) {
            return;
        }
        faultPoints.reach("task-notified");
        commit(checkpointId);
        lastCompleted = checkpointId;
        // What is emitted after the end of input would be dropped by the next task.
        if (!ended) {
            report(checkpointId, checkpointed.reportVisible(), false, List.of());
        }
        faultPoints.reach("task-reported");
    }

    private void commit(long checkpoint) throws IOException {
        long begin = System.nanoTime();
        CommittedFiles committed = writer.commit(checkpoint);
        long millis = (System.nanoTime() - begin) / 1_000_000;
        rows.gauges().committed(committed, millis);
        log.commit(checkpoint, committed, millis, checkpointed);
        checkpointed.completed(checkpoint);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        super.notifyCheckpointAborted(checkpointId);
        if (checkpointId > lastCompleted) {
            writer.aborted(checkpointId);
        }
    }

    @Override
    public void endInput() throws Exception {
        if (mode == CheckpointMode.WITH_FINAL) {
            checkpointed.closed(files.seal("end of input"));
            List<String> promised =
                    checkpointed.pendingKeys().stream().map(spec.location()::pathOf).toList();
            report(lastCompleted, checkpointed.reportAll(), true, promised);
        } else {
            barrier(Long.MAX_VALUE, files.seal("end of input"));
            commit(Long.MAX_VALUE);
            lastCompleted = Long.MAX_VALUE;
            report(Long.MAX_VALUE, checkpointed.reportVisible(), true, List.of());
        }
        ended = true;
    }

    private void report(long checkpoint, String[] partitions, boolean last, List<String> keys) {
        int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        output.collect(
                new StreamRecord<>(
                        new FileReport(
                                checkpoint,
                                subtask,
                                partitions,
                                last,
                                keys.toArray(new String[0]))));
    }

    @Override
    public void close() throws Exception {
        if (rows != null) {
            rows.close();
        }
        super.close();
    }
}
