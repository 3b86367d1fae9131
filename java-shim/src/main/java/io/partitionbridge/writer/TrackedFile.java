package io.partitionbridge.writer;

import io.partitionbridge.control.WriterSession;
import io.partitionbridge.state.FileEntry;
import io.partitionbridge.state.FileEntryCodec;
import io.partitionbridge.state.LiveEntry;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * A file from its barrier until its announcement is covered by a completed checkpoint (I4).
 *
 * <p>Task thread, but for {@link #completedEntry}, which the asynchronous part of a snapshot sets.
 */
final class TrackedFile {

    private static final int RESTORED = -1;
    private static final long UNNAMED = -1;
    private static final long UNREPORTED = Long.MAX_VALUE;

    private final int number;
    private final String partition;
    private final String key;
    private long checkpoint;
    private volatile FileEntry completedEntry;
    private boolean visible;
    private long reportedAfter = UNREPORTED;

    private TrackedFile(int number, String partition, String key, long checkpoint) {
        this.number = number;
        this.partition = partition;
        this.key = key;
        this.checkpoint = checkpoint;
    }

    /** A closed file; the next barrier will name it. */
    static TrackedFile closed(OpenFile file) {
        return new TrackedFile(file.number(), file.getBucketId(), file.key(), UNNAMED);
    }

    /** A file of the restored checkpoint, visible by now but maybe not announced. */
    static TrackedFile restored(FileEntry entry) {
        TrackedFile file =
                new TrackedFile(RESTORED, entry.partition(), entry.key(), entry.checkpoint());
        file.completedEntry = entry.completed();
        file.visible = true;
        return file;
    }

    String partition() {
        return partition;
    }

    String key() {
        return key;
    }

    int number() {
        return number;
    }

    /** Whether it's of the restored checkpoint: this run's writer has no number for it. */
    boolean isRestored() {
        return number == RESTORED;
    }

    /** The barrier that was the first to name it. */
    long checkpoint() {
        return checkpoint;
    }

    boolean isNamed() {
        return checkpoint != UNNAMED;
    }

    void namedBy(long barrier) {
        checkpoint = barrier;
    }

    boolean isPendingAt(long completed) {
        return !visible && isNamed() && checkpoint <= completed;
    }

    boolean isVisible() {
        return visible;
    }

    void becameVisible() {
        visible = true;
    }

    boolean isReported() {
        return reportedAfter != UNREPORTED;
    }

    /**
     * @param lastSnapshot newest checkpoint that was taken before the report
     */
    void reported(long lastSnapshot) {
        reportedAfter = lastSnapshot;
    }

    /** Whether no restart can need the file any more, once this checkpoint is complete. */
    boolean isCoveredBy(long completed) {
        return visible && reportedAfter < completed;
    }

    /**
     * The element of a snapshot's state.
     *
     * @param ready when the writer has every byte of the snapshot in safety (I1)
     */
    Object element(long snapshot, CompletableFuture<Void> ready, WriterSession writer) {
        if (visible && completedEntry != null) {
            return FileEntryCodec.encode(completedEntry);
        }
        return (LiveEntry)
                () -> {
                    byte[] bytes = writer.entry(number, snapshot, ready);
                    return bytes.length > 0 ? pending(bytes) : completed();
                };
    }

    /**
     * The element of a file that goes on after the snapshot's barrier: what it holds by then. The
     * next barrier has another one, and none of them is needed once the file is closed.
     */
    static Object openElement(
            OpenFile file, long snapshot, CompletableFuture<Void> ready, WriterSession writer) {
        return (LiveEntry)
                () -> {
                    byte[] bytes = writer.entry(file.number(), snapshot, ready);
                    if (bytes.length == 0) {
                        throw new IOException("Checkpoint " + snapshot + " is over.");
                    }
                    checked(bytes, file.key(), false);
                    return bytes;
                };
    }

    private byte[] pending(byte[] bytes) throws IOException {
        completedEntry = checked(bytes, key, true).completed();
        return bytes;
    }

    private static FileEntry checked(byte[] bytes, String key, boolean sealed) throws IOException {
        FileEntry entry = FileEntryCodec.decode(bytes);
        if (!entry.key().equals(key) || !entry.isPending() || entry.sealed() != sealed) {
            throw new IOException(
                    String.format(
                            "The writer answered with the entry of %s, sealed: %b, where one of %s,"
                                    + " sealed: %b, was asked for.",
                            entry.key(), entry.sealed(), key, sealed));
        }
        return entry;
    }

    /** The file became visible by an earlier checkpoint, whose snapshot had its entry. */
    private byte[] completed() throws IOException {
        if (completedEntry == null) {
            throw new IOException(
                    "The writer has no entry of " + key + ", which no snapshot has had before.");
        }
        return FileEntryCodec.encode(completedEntry);
    }
}
