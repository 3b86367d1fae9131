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

    /** A row went into a batch. */
    void touched(long now, long batch) {
        lastUpdate = now;
        lastBatch = batch;
    }

    boolean hasRowsIn(long batch) {
        return lastBatch == batch;
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

    /** Bytes that the writer has encoded; it lags by what is still on its way. */
    @Override
    public long getSize() {
        return encodedBytes;
    }

    @Override
    public long getLastUpdateTime() {
        return lastUpdate;
    }
}
