package io.partitionbridge.writer;

import io.partitionbridge.control.FrameSink;
import io.partitionbridge.control.Frames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.flink.connector.file.table.FileSystemTableSink.TableRollingPolicy;
import org.apache.flink.table.data.RowData;

/**
 * The open files of a subtask, one per partition.
 *
 * <pre>
 *   row ─► open file of its partition ─► encoder ─► BATCH or BYTES
 *              └─ rolling policy, part limit, barrier ─► CLOSE, after the rows that belong before it
 * </pre>
 */
final class OpenFiles {

    /** Well before part 10,000, where every S3 store ends an upload. */
    private static final long MOST_PARTS = 9_000;

    private final FrameSink writer;
    private final RowEncoder encoder;
    private final TableRollingPolicy policy;
    private final PartFileNames names;
    private final TableLocation location;
    private final long mostBytes;
    private final LongSupplier clock;
    private final FileProgress progress;

    private final Map<String, OpenFile> byPartition = new LinkedHashMap<>();
    private List<OpenFile> closedSinceBarrier = new ArrayList<>();
    private OpenFile last;
    private int nextNumber;

    OpenFiles(
            FrameSink writer,
            RowEncoder encoder,
            TableRollingPolicy policy,
            PartFileNames names,
            TableLocation location,
            long partSize,
            LongSupplier clock,
            FileProgress progress) {
        this.writer = writer;
        this.encoder = encoder;
        this.policy = policy;
        this.names = names;
        this.location = location;
        this.mostBytes = MOST_PARTS * partSize;
        this.clock = clock;
        this.progress = progress;
    }

    void write(RowData row, String partition) throws IOException {
        closeUnwanted();
        OpenFile file =
                last != null && last.getBucketId().equals(partition)
                        ? last
                        : byPartition.get(partition);
        if (file != null) {
            if (policy.shouldRollOnEvent(file, row)) {
                close(file, "size");
                file = null;
            } else if (file.getSize() >= mostBytes) {
                close(file, "part limit");
                file = null;
            }
        }
        long now = clock.getAsLong();
        if (file == null) {
            file = open(partition, now);
        }
        last = file;
        file.touched(now);
        encoder.write(row, file);
    }

    // Not only at a file's own next row: of a partition that gets no more rows none would come, and
    // the writer would hold its bytes until the barrier (I8).
    private void closeUnwanted() throws IOException {
        OpenFile file;
        while ((file = progress.nextUnwanted()) != null) {
            if (byPartition.get(file.getBucketId()) == file) {
                close(file, "memory");
            }
        }
    }

    /** Closes what the rolling policy finds too old or idle for too long. */
    void rollByTime(long now) throws IOException {
        for (OpenFile file : List.copyOf(byPartition.values())) {
            if (policy.shouldRollOnProcessingTime(file, now)) {
                close(file, "time");
            }
        }
    }

    /**
     * Closes every open file.
     *
     * @return the files that were closed since the call before; the next BARRIER must name them
     */
    List<OpenFile> seal(String reason) throws IOException {
        return seal(reason, List.copyOf(byPartition.values()));
    }

    /**
     * Closes the files that end at a barrier; the rest goes on after it.
     *
     * @return the files that were closed since the call before; the next BARRIER must name them
     */
    List<OpenFile> seal(SealRule rule, long watermark) throws IOException {
        return seal("checkpoint", rule.due(byPartition.values(), clock.getAsLong(), watermark));
    }

    /** Closes every open file; the next {@link #seal} tells them. */
    void closeAll(String reason) throws IOException {
        for (OpenFile file : List.copyOf(byPartition.values())) {
            close(file, reason);
        }
    }

    private List<OpenFile> seal(String reason, List<OpenFile> due) throws IOException {
        encoder.flush();
        for (OpenFile file : due) {
            close(file, reason);
        }
        List<OpenFile> closed = closedSinceBarrier;
        closedSinceBarrier = new ArrayList<>();
        return closed;
    }

    /** The files that take rows; after {@link #seal}, those that the next BARRIER leaves open. */
    Collection<OpenFile> open() {
        return byPartition.values();
    }

    /**
     * A BARRIER follows that leaves {@link #open} open.
     *
     * @return their numbers
     */
    int[] passBarrier(long checkpoint) {
        byPartition.values().forEach(file -> file.tail().passed(checkpoint));
        return byPartition.values().stream().mapToInt(OpenFile::number).toArray();
    }

    /** Whether there are rows that no barrier has sealed. */
    boolean hasUnsealed() {
        return !closedSinceBarrier.isEmpty() || !byPartition.isEmpty();
    }

    private OpenFile open(String partition, long now) throws IOException {
        String key = location.key(partition, names.nextName());
        OpenFile file = new OpenFile(nextNumber++, partition, key, now);
        writer.send(Frames.open(file.number(), now, partition, key, names.newToken()));
        byPartition.put(partition, file);
        progress.opened(file);
        return file;
    }

    private void close(OpenFile file, String reason) throws IOException {
        encoder.finish(file);
        writer.send(Frames.close(file.number(), reason));
        byPartition.remove(file.getBucketId());
        closedSinceBarrier.add(file);
        progress.closed(file);
        if (last == file) {
            last = null;
        }
    }
}
