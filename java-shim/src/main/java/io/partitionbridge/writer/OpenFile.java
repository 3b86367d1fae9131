package io.partitionbridge.writer;

import org.apache.flink.streaming.api.functions.sink.filesystem.PartFileInfo;

/** A file that takes rows, as Flink's rolling policy sees it. */
final class OpenFile implements PartFileInfo<String> {

    private final int number;
    private final String partition;
    private final String key;
    private final long created;

    private long lastUpdate;
    private long lastBatch;
    private int rowsInBatch;
    private long writtenBytes;
    private final OpenTail tail = new OpenTail();
    private volatile long encodedBytes;

    OpenFile(int number, String partition, String key, long created) {
        this.number = number;
        this.partition = partition;
        this.key = key;
        this.created = created;
        this.lastUpdate = created;
    }

    int number() {
        return number;
    }

    String key() {
        return key;
    }

    void touched(long now) {
        lastUpdate = now;
    }

    /**
     * A row went into a batch.
     *
     * @return whether it's the file's first in this one
     */
    boolean wentInto(long batch) {
        boolean first = lastBatch != batch;
        lastBatch = batch;
        rowsInBatch = first ? 1 : rowsInBatch + 1;
        return first;
    }

    /** Whether a row has gone into any batch. */
    boolean hasRows() {
        return lastBatch != 0;
    }

    boolean hasRowsIn(long batch) {
        return lastBatch == batch;
    }

    /** Of the batch that it has last gone into. */
    int rowsInBatch() {
        return rowsInBatch;
    }

    /** The file's size, where its rows are encoded here. */
    void written(long bytes) {
        writtenBytes = bytes;
        tail.written(bytes);
    }

    /** Bytes that the writer compresses: it tells what they have come to. */
    void compressed(long bytes) {
        tail.compressed(bytes);
    }

    /** What of the file would be in the state of a checkpoint. */
    OpenTail tail() {
        return tail;
    }

    void encoded(long bytes) {
        encodedBytes = bytes;
    }

    @Override
    public String getBucketId() {
        return partition;
    }

    @Override
    public long getCreationTime() {
        return created;
    }

    /**
     * Exact where rows are encoded here and nothing else is done to them; what the writer has
     * encoded or compressed lags by what is on its way.
     */
    @Override
    public long getSize() {
        return Math.max(writtenBytes, encodedBytes);
    }

    @Override
    public long getLastUpdateTime() {
        return lastUpdate;
    }
}
