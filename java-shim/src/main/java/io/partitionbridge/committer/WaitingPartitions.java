package io.partitionbridge.committer;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.table.FileSystemConnectorOptions;
import org.apache.flink.connector.file.table.FileSystemConnectorOptions.PartitionCommitTriggerType;
import org.apache.flink.connector.file.table.stream.PartitionCommitPredicate;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says for what partitions wait that have files and no success file, as of the last checkpoint.
 *
 * <p>Flink's own predicate is asked twice, with the table's delay and without one: what passes only
 * the second waits for the delay. A line is logged when a reason appears or goes, and else at most
 * every ten minutes.
 */
final class WaitingPartitions {

    /** For what, and the name of the metric that counts the partitions. */
    enum Reason {
        /** Their time by the watermark hasn't come. */
        WATERMARK("partitionsWaitingForWatermark"),
        /**
         * The watermark stands because no source has rows; by it their time or delay isn't over.
         */
        IDLE_SOURCE("partitionsWaitingForIdleSource"),
        /** Their time has come, but not the table's delay after it, by the trigger's clock. */
        DELAY("partitionsWaitingForDelay"),
        /**
         * Subtasks haven't reported a checkpoint that others have, or it has just been complete.
         */
        REPORTS("partitionsWaitingForReports"),
        /** A finished subtask has promised files that its final checkpoint makes visible. */
        FINISHED_SUBTASK("partitionsWaitingForFinishedSubtask");

        private final String metric;

        Reason(String metric) {
            this.metric = metric;
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(WaitingPartitions.class);

    private static final long QUIET = Duration.ofMinutes(10).toMillis();
    private static final int SHOWN = 5;

    private final String table;
    private final Duration delay;
    private final boolean byWatermark;
    private final PartitionCommitPredicate inTime;
    private final PartitionCommitPredicate withoutDelay;
    private volatile Map<Reason, Set<String>> waiting = new EnumMap<>(Reason.class);
    private Set<Reason> logged = EnumSet.noneOf(Reason.class);
    private long loggedAt;

    /**
     * @param options of the table, whose delay and trigger count
     */
    WaitingPartitions(
            String table,
            Configuration options,
            ClassLoader classLoader,
            List<String> partitionKeys,
            MetricGroup group) {
        this.table = table;
        this.delay = options.get(FileSystemConnectorOptions.SINK_PARTITION_COMMIT_DELAY);
        this.byWatermark =
                options.get(FileSystemConnectorOptions.SINK_PARTITION_COMMIT_TRIGGER)
                        == PartitionCommitTriggerType.PARTITION_TIME;
        this.inTime = PartitionCommitPredicate.create(options, classLoader, partitionKeys);
        Configuration undelayed = new Configuration(options);
        undelayed.set(FileSystemConnectorOptions.SINK_PARTITION_COMMIT_DELAY, Duration.ZERO);
        this.withoutDelay = PartitionCommitPredicate.create(undelayed, classLoader, partitionKeys);
        for (Reason reason : Reason.values()) {
            group.gauge(
                    reason.metric,
                    (Gauge<Integer>) () -> waiting.getOrDefault(reason, Set.of()).size());
        }
    }

    /**
     * @param inTrigger what Flink's trigger holds, with the time since when where that counts
     * @param heard what waits for the other subtasks' reports
     * @param promised by subtasks that have finished
     * @param idle whether no source has rows
     * @param now in epoch milliseconds
     */
    void snapshotted(
            Map<String, Long> inTrigger,
            Collection<String> heard,
            Collection<String> promised,
            long watermark,
            boolean idle,
            long now) {
        Map<Reason, Set<String>> found = new EnumMap<>(Reason.class);
        inTrigger.forEach(
                (partition, since) ->
                        add(found, reason(partition, since, watermark, idle, now), partition));
        heard.forEach(partition -> add(found, Reason.REPORTS, partition));
        promised.forEach(partition -> add(found, Reason.FINISHED_SUBTASK, partition));
        waiting = found;
        boolean changed = !found.keySet().equals(logged);
        if (changed || !found.isEmpty() && now - loggedAt >= QUIET) {
            tell(found, watermark);
            logged = EnumSet.noneOf(Reason.class);
            logged.addAll(found.keySet());
            loggedAt = now;
        }
    }

    private Reason reason(String partition, long since, long watermark, boolean idle, long now) {
        PartitionCommitPredicate.PredicateContext context =
                PartitionCommitPredicate.createPredicateContext(partition, since, now, watermark);
        if (inTime.isPartitionCommittable(context)) {
            return Reason.REPORTS;
        }
        if (byWatermark && idle) {
            return Reason.IDLE_SOURCE;
        }
        return withoutDelay.isPartitionCommittable(context) ? Reason.DELAY : Reason.WATERMARK;
    }

    private static void add(Map<Reason, Set<String>> found, Reason reason, String partition) {
        found.computeIfAbsent(reason, none -> new TreeSet<>()).add(partition);
    }

    private void tell(Map<Reason, Set<String>> found, long watermark) {
        if (found.isEmpty()) {
            LOG.info("No partition of {} waits for its commit any more", table);
            return;
        }
        LOG.info(
                "Partitions of {} with files that aren't committed wait: {}",
                table,
                found.entrySet().stream()
                        .map(
                                each ->
                                        each.getValue().size()
                                                + " "
                                                + words(each.getKey(), watermark)
                                                + sample(each.getValue()))
                        .collect(Collectors.joining("; ")));
    }

    private String words(Reason reason, long watermark) {
        return switch (reason) {
            case WATERMARK -> "for the watermark, which is " + time(watermark);
            case IDLE_SOURCE ->
                    "for the watermark, which stands at "
                            + time(watermark)
                            + " since every source is idle";
            case DELAY ->
                    "for 'sink.partition-commit.delay', which is "
                            + delay
                            + (byWatermark
                                    ? ", by the watermark, which is " + time(watermark)
                                    : "");
            case REPORTS -> "for the next checkpoint, or for subtasks that haven't reported theirs";
            case FINISHED_SUBTASK -> "for the final checkpoint of finished subtasks";
        };
    }

    private static String time(long watermark) {
        return watermark == Long.MIN_VALUE
                ? "not there yet"
                : Instant.ofEpochMilli(watermark).toString();
    }

    private static String sample(Set<String> partitions) {
        String shown = partitions.stream().limit(SHOWN).collect(Collectors.joining(", "));
        return " (" + shown + (partitions.size() > SHOWN ? ", …)" : ")");
    }
}
