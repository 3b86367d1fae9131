package io.partitionbridge.committer;

import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * The metrics partitionsPending and partitionsCommitted.
 *
 * <p>Flink's triggers show what they hold only by the state that they write, so both are as of the
 * last checkpoint. What a trigger was fed and doesn't hold any more is committed.
 */
final class PartitionCounts {

    private final Counter committed;
    private final Set<String> fed = new LinkedHashSet<>();
    private volatile int pending;

    PartitionCounts(MetricGroup group) {
        committed = group.counter("partitionsCommitted");
        group.gauge("partitionsPending", (Gauge<Integer>) () -> pending);
    }

    void restored(Set<String> inTrigger) {
        fed.addAll(inTrigger);
    }

    void fed(Set<String> partitions) {
        fed.addAll(partitions);
    }

    /**
     * @param inTrigger what the trigger's state of this checkpoint holds
     * @param heard what waits for its round, files visible or not
     */
    void snapshotted(Set<String> inTrigger, int heard) {
        int before = fed.size();
        fed.retainAll(inTrigger);
        committed.inc(before - fed.size());
        pending = inTrigger.size() + heard;
    }
}
