package io.partitionbridge.committer;

import io.partitionbridge.faultpoint.FaultPoints;
import io.partitionbridge.metastore.MetastoreProcess;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.table.FileSystemConnectorOptions;
import org.apache.flink.connector.file.table.FileSystemConnectorOptions.PartitionCommitTriggerType;
import org.apache.flink.connector.file.table.FileSystemFactory;
import org.apache.flink.connector.file.table.TableMetaStoreFactory;
import org.apache.flink.connector.file.table.stream.PartitionCommitInfo;
import org.apache.flink.connector.file.table.stream.PartitionCommitter;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flink's PartitionCommitter, fed with what the bridge's writers report ({@link FileReport}).
 *
 * <p>Triggers, policies, their state and the watermark are inherited. This class only turns reports
 * into the messages that Flink's class expects, one for each checkpoint, as if from a single
 * writer:
 *
 * <ul>
 *   <li>a partition that was heard stays in this operator's state until it is fed (I4), and its
 *       files are visible when it is fed;
 *   <li>how many subtasks must report is read off the input channels, so neither rescaling nor
 *       in-flight reports of the attempt before matter;
 *   <li>the files of a final report are waited for after a checkpoint that holds the report.
 * </ul>
 */
public class BridgePartitionCommitter extends PartitionCommitter implements BoundedOneInput {

    private static final long serialVersionUID = 1L;

    private static final Logger LOG = LoggerFactory.getLogger(BridgePartitionCommitter.class);

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final ListStateDescriptor<String> HEARD_STATE =
            new ListStateDescriptor<>("bridge-heard-partitions", StringSerializer.INSTANCE);

    private final Path location;
    private final FileSystemFactory fileSystems;
    private final PartitionCommitTriggerType trigger;
    private final ObjectIdentifier table;
    private final List<String> partitionKeys;
    private final Configuration options;

    // The same object as Flink's class has, also after both were deserialized.
    private final TableMetaStoreFactory metaStores;

    private transient Set<String> heard;
    private transient ListState<String> heardState;
    private transient FinalReports finalReports;
    private transient Rounds rounds;
    private transient OperatorStateStore store;
    private transient PartitionCounts counts;
    private transient WaitingPartitions waiting;
    private transient WatermarkLag watermark;
    private transient boolean inputEnded;
    private transient FaultPoints faultPoints;

    public BridgePartitionCommitter(
            Path location,
            ObjectIdentifier table,
            List<String> partitionKeys,
            TableMetaStoreFactory metaStores,
            FileSystemFactory fileSystems,
            Configuration options) {
        super(location, table, partitionKeys, metaStores, fileSystems, options);
        this.location = location;
        this.fileSystems = fileSystems;
        this.metaStores = metaStores;
        this.table = table;
        this.partitionKeys = partitionKeys;
        this.options = options;
        this.trigger = options.get(FileSystemConnectorOptions.SINK_PARTITION_COMMIT_TRIGGER);
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        store = context.getOperatorStateStore();
        boolean complete = TriggerState.isComplete(trigger, store);
        super.initializeState(complete ? context : new FreshContext(context));
        heard = new LinkedHashSet<>(TriggerState.takeFromOther(trigger, store));
        heardState = store.getListState(HEARD_STATE);
        heardState.get().forEach(heard::add);
        finalReports = FinalReports.restore(store);
        counts = new PartitionCounts(getMetricGroup());
        counts.restored(TriggerState.pending(trigger, store).keySet());
        waiting =
                new WaitingPartitions(
                        table.asSummaryString(),
                        options,
                        getUserCodeClassloader(),
                        partitionKeys,
                        getMetricGroup());
        watermark =
                new WatermarkLag(
                        getMetricGroup(), getProcessingTimeService()::getCurrentProcessingTime);
        faultPoints =
                FaultPoints.of(
                        getContainingTask()
                                .getEnvironment()
                                .getTaskManagerInfo()
                                .getConfiguration());
        rounds = new Rounds(context.getRestoredCheckpointId().orElse(Long.MIN_VALUE));
    }

    @Override
    public void open() throws Exception {
        super.open();
        if (metaStores instanceof MetastoreProcess process) {
            process.start(this);
        }
    }

    @Override
    public void close() throws Exception {
        if (metaStores instanceof MetastoreProcess process) {
            process.close();
        }
        super.close();
    }

    @Override
    public void processElement(StreamRecord<PartitionCommitInfo> element) throws Exception {
        FileReport report = (FileReport) element.getValue();
        if (report.isLast()) {
            rounds.ended(report.getTaskId());
        } else {
            rounds.reported(report.getTaskId(), report.getCheckpointId());
        }
        if (report.getKeys().length > 0) {
            finalReports.add(report.getPartitions(), report.getKeys());
        } else {
            heard.addAll(Arrays.asList(report.getPartitions()));
        }
        faultPoints.reach("committer-heard");
        feedRounds();
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        heardState.update(List.copyOf(heard));
        finalReports.snapshot(context.getCheckpointId());
        rounds.snapshotted(context.getCheckpointId());
        faultPoints.reach("committer-snapshot");
        Map<String, Long> pending = TriggerState.pending(trigger, store);
        counts.snapshotted(pending.keySet(), heard.size());
        waiting.snapshotted(
                pending,
                heard,
                finalReports.partitions(),
                watermark.watermark(),
                watermark.isIdle(),
                getProcessingTimeService().getCurrentProcessingTime());
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        super.processWatermark(mark);
        watermark.reached(mark.getTimestamp());
    }

    @Override
    public void processWatermarkStatus(WatermarkStatus status) throws Exception {
        super.processWatermarkStatus(status);
        watermark.status(status);
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        super.notifyCheckpointComplete(checkpointId);
        awaitPromised(checkpointId);
        feedRounds();
        feedEnd();
    }

    /** All writers have reached the end of their input; not called by a stop without drain. */
    @Override
    public void endInput() throws Exception {
        inputEnded = true;
        // What a restored state promised was completed when its writers opened.
        awaitPromised(Long.MIN_VALUE);
        feedEnd();
    }

    /** Indexes of the writer subtasks that may still report. */
    protected Collection<Integer> connectedSubtasks() {
        Set<Integer> subtasks = new LinkedHashSet<>();
        for (IndexedInputGate gate : getContainingTask().getEnvironment().getAllInputGates()) {
            for (InputChannelInfo channel : gate.getUnfinishedChannels()) {
                subtasks.add(channel.getInputChannelIdx());
            }
        }
        return subtasks;
    }

    /** How long promised files may take to be visible; their writers complete them meanwhile. */
    protected Duration patience() {
        return PATIENCE;
    }

    private void awaitPromised(long completedCheckpoint) throws Exception {
        List<FinalReports.Promise> due = finalReports.due(completedCheckpoint);
        if (due.isEmpty()) {
            return;
        }
        new VisibleFiles(fileSystems.create(location.toUri()), patience())
                .await(due.stream().flatMap(promise -> promise.keys().stream()).toList());
        due.forEach(promise -> heard.addAll(promise.partitions()));
        finalReports.kept(due);
    }

    private void feedRounds() throws Exception {
        OptionalLong round = rounds.next(connectedSubtasks());
        if (round.isPresent()) {
            feed(round.getAsLong());
        }
    }

    // Flink's end signal commits every pending partition, whatever its delay.
    private void feedEnd() throws Exception {
        if (inputEnded && finalReports.isEmpty()) {
            feed(Long.MAX_VALUE);
        }
    }

    private void feed(long checkpointId) throws Exception {
        String[] partitions = heard.toArray(String[]::new);
        counts.fed(heard);
        heard.clear();
        try {
            super.processElement(
                    new StreamRecord<>(new PartitionCommitInfo(checkpointId, 0, 1, partitions)));
        } catch (Exception e) {
            LOG.error(
                    "A commit of partitions of {} has failed. They wait for the job's restart, which"
                            + " commits them again: {}",
                    table.asSummaryString(),
                    e.toString());
            throw e;
        }
        faultPoints.reach("committer-fed");
    }
}
