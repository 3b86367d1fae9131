package io.partitionbridge.writer;

import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * How many bytes of an open file are in no full part, and so would be in the state of a checkpoint:
 * known where Flink's format encodes here, and else never less than they are (I8).
 *
 * <p>Task thread, but for {@link #marked}, which comes on the session's.
 */
final class OpenTail {

    /** More waiting rows than these are a row group at a barrier; footers come on top. */
    private static final long LARGEST_WAITING = 9 << 20;

    private long writtenBytes;
    private long compressedBytes;
    private long sentBytes;
    private final ConcurrentNavigableMap<Long, Long> sentBefore = new ConcurrentSkipListMap<>();
    private volatile Mark last = new Mark(0, 0);

    /** The file's size, where its rows are encoded here. */
    void written(long bytes) {
        writtenBytes = bytes;
    }

    /** Bytes that the writer compresses: it tells what they have come to. */
    void compressed(long bytes) {
        compressedBytes = bytes;
    }

    /** So many bytes of Arrow are sent, of which the writer makes a Parquet file. */
    void sent(long bytes) {
        sentBytes += bytes;
    }

    /** The file goes on after this barrier. */
    void passed(long checkpoint) {
        if (sentBytes > 0) {
            sentBefore.put(checkpoint, sentBytes);
        }
    }

    /** What the file had in the state of that checkpoint. */
    void marked(long checkpoint, long tail) {
        Long sent = sentBefore.get(checkpoint);
        if (sent != null) {
            last = new Mark(tail, sent);
            sentBefore.headMap(checkpoint, true).clear();
        }
    }

    /**
     * At most so many bytes are in no full part. Compression is taken to save nothing, since where
     * its parts end isn't known here; an encoded row is taken to be no larger than its Arrow.
     */
    long atMost(long partSize) {
        if (compressedBytes > 0) {
            return Math.min(compressedBytes, partSize);
        }
        if (sentBytes > 0) {
            Mark mark = last;
            long since = sentBytes - mark.sent;
            return Math.min(mark.tail + since, partSize + LARGEST_WAITING);
        }
        return writtenBytes % partSize;
    }

    private record Mark(long tail, long sent) {}
}
