package io.partitionbridge.writer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.connector.file.table.FileSystemTableSink.TableRollingPolicy;
import org.apache.flink.connector.file.table.stream.PartitionCommitPredicate;

/**
 * Which open files end at a barrier: those that Flink's rolling policy ends, those whose partition
 * Flink's predicate calls committable, so that no row before the watermark comes after _SUCCESS
 * (I5), and the least recently used of those whose tails would make the state too large (I8).
 */
final class SealRule {

    private final TableRollingPolicy policy;
    private final PartitionCommitPredicate committable;
    private final long partSize;
    private final long mostInline;

    /**
     * @param committable null where no partition is ever committed
     * @param mostInline bytes that open files may have in the state, all together
     */
    SealRule(
            TableRollingPolicy policy,
            PartitionCommitPredicate committable,
            long partSize,
            long mostInline) {
        this.policy = policy;
        this.committable = committable;
        this.partSize = partSize;
        this.mostInline = mostInline;
    }

    /**
     * @param classLoader of the job, for its time extractor
     */
    static SealRule create(WriterSpec spec, Bootstrap bootstrap, ClassLoader classLoader) {
        PartitionCommitPredicate committable =
                spec.commitOptions() == null
                        ? null
                        : PartitionCommitPredicate.create(
                                spec.commitOptions(), classLoader, spec.partitionKeys());
        return new SealRule(
                spec.rollingPolicy(), committable, spec.partSize(), bootstrap.inlineLimitOfOpen());
    }

    /**
     * @param watermark of the subtask itself
     */
    List<OpenFile> due(Collection<OpenFile> open, long now, long watermark) {
        List<OpenFile> due = new ArrayList<>();
        List<OpenFile> staying = new ArrayList<>();
        for (OpenFile file : open) {
            boolean ends =
                    policy.shouldRollOnCheckpoint(file) || isCommittable(file, now, watermark);
            (ends ? due : staying).add(file);
        }
        staying.sort(Comparator.comparingLong(OpenFile::getLastUpdateTime));
        long inline = staying.stream().mapToLong(file -> file.tail().atMost(partSize)).sum();
        for (OpenFile file : staying) {
            if (inline <= mostInline) {
                break;
            }
            inline -= file.tail().atMost(partSize);
            due.add(file);
        }
        return due;
    }

    private boolean isCommittable(OpenFile file, long now, long watermark) {
        return committable != null
                && committable.isPartitionCommittable(
                        PartitionCommitPredicate.createPredicateContext(
                                file.getBucketId(), file.getCreationTime(), now, watermark));
    }
}
