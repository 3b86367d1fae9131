package io.partitionbridge.committer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.connector.file.table.FileSystemConnectorOptions.PartitionCommitTriggerType;

/**
 * The states that Flink's two commit triggers keep, by their names and serializers
 * (ProcTimeCommitTrigger, PartitionTimeCommitTrigger).
 *
 * <p>In a restored job the triggers take their state's first element unseen, and so fail on a table
 * whose policy or trigger is newer than the savepoint.
 */
final class TriggerState {

    private static final ListStateDescriptor<Map<String, Long>> PROCESS_TIME =
            new ListStateDescriptor<>(
                    "pending-partitions-with-time",
                    new MapSerializer<>(StringSerializer.INSTANCE, LongSerializer.INSTANCE));

    private static final ListStateDescriptor<List<String>> PARTITION_TIME =
            new ListStateDescriptor<>(
                    "pending-partitions", new ListSerializer<>(StringSerializer.INSTANCE));

    private static final ListStateDescriptor<Map<Long, Long>> WATERMARKS =
            new ListStateDescriptor<>(
                    "checkpoint-id-to-watermark",
                    new MapSerializer<>(LongSerializer.INSTANCE, LongSerializer.INSTANCE));

    private TriggerState() {}

    /** Whether there is all that the trigger would read. */
    static boolean isComplete(PartitionCommitTriggerType trigger, OperatorStateStore store)
            throws Exception {
        return switch (trigger) {
            case PROCESS_TIME -> isPresent(PROCESS_TIME, store);
            case PARTITION_TIME -> isPresent(PARTITION_TIME, store) && isPresent(WATERMARKS, store);
        };
    }

    /** Takes the partitions that the other trigger, used before, had still to commit. */
    static List<String> takeFromOther(PartitionCommitTriggerType trigger, OperatorStateStore store)
            throws Exception {
        List<String> partitions = new ArrayList<>();
        if (trigger != PartitionCommitTriggerType.PROCESS_TIME && isPresent(PROCESS_TIME, store)) {
            ListState<Map<String, Long>> state = store.getListState(PROCESS_TIME);
            state.get().forEach(pending -> partitions.addAll(pending.keySet()));
            state.clear();
        }
        if (trigger != PartitionCommitTriggerType.PARTITION_TIME
                && isPresent(PARTITION_TIME, store)) {
            ListState<List<String>> state = store.getListState(PARTITION_TIME);
            state.get().forEach(partitions::addAll);
            state.clear();
        }
        return partitions;
    }

    /**
     * The partitions that the trigger's state holds.
     *
     * @return with the processing time since when, where the trigger goes by that; else with 0
     */
    static Map<String, Long> pending(PartitionCommitTriggerType trigger, OperatorStateStore store)
            throws Exception {
        Map<String, Long> partitions = new LinkedHashMap<>();
        switch (trigger) {
            case PROCESS_TIME -> store.getListState(PROCESS_TIME).get().forEach(partitions::putAll);
            case PARTITION_TIME ->
                    store.getListState(PARTITION_TIME)
                            .get()
                            .forEach(pending -> pending.forEach(each -> partitions.put(each, 0L)));
        }
        return partitions;
    }

    private static boolean isPresent(ListStateDescriptor<?> state, OperatorStateStore store)
            throws Exception {
        return store.getRegisteredStateNames().contains(state.getName())
                && store.getListState(state).get().iterator().hasNext();
    }
}
