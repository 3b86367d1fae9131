package io.partitionbridge.writer;

import io.partitionbridge.control.FrameSink;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.table.data.RowData;

/**
 * Rows encoded by Flink's format, one format writer and one stream a file.
 *
 * <p>What the streams hold is bounded over all files; what the format's writers hold is Flink's own
 * affair, as in Flink's sink.
 */
final class HostRows implements RowEncoder {

    private static final long LARGEST_CHUNK = 1 << 20;

    private final FrameSink writer;
    private final HostFormat format;
    private final int chunk;
    private final long mostHeld;
    private final Map<Integer, Encoding> open = new HashMap<>();

    private long held;

    /**
     * @param chunk bytes of a frame
     * @param mostHeld bytes that wait for their frames to fill, over all files
     */
    HostRows(FrameSink writer, HostFormat format, int chunk, long mostHeld) {
        this.writer = writer;
        this.format = format;
        this.chunk = chunk;
        this.mostHeld = mostHeld;
    }

    static HostRows create(FrameSink writer, WriterSpec spec, Bootstrap bootstrap) {
        int chunk = (int) Math.min(LARGEST_CHUNK, bootstrap.batchBytes());
        return new HostRows(writer, spec.hostFormat(), chunk, 2 * bootstrap.batchBytes());
    }

    @Override
    public void start() {}

    @Override
    public void write(RowData row, OpenFile file) throws IOException {
        Encoding encoding = open.get(file.number());
        if (encoding == null) {
            EncodedBytes bytes = new EncodedBytes(writer, file.number(), chunk);
            encoding = new Encoding(bytes, format.writers().create(bytes));
            open.put(file.number(), encoding);
        }
        EncodedBytes bytes = encoding.bytes;
        long before = bytes.held();
        encoding.writer.addElement(row);
        bytes.rowWritten();
        held += bytes.held() - before;
        if (format.isCompressed()) {
            file.compressed(bytes.getPos());
        } else {
            file.written(bytes.getPos());
        }
        if (held > mostHeld) {
            flush();
        }
    }

    @Override
    public void finish(OpenFile file) throws IOException {
        Encoding encoding = open.remove(file.number());
        held -= encoding.bytes.held();
        encoding.writer.flush();
        encoding.writer.finish();
        encoding.bytes.send();
    }

    @Override
    public void flush() throws IOException {
        for (Encoding encoding : open.values()) {
            encoding.bytes.send();
        }
        held = 0;
    }

    /** No format writer is finished here: that could send the end of a file (I2). */
    @Override
    public void close() {
        open.values().forEach(encoding -> encoding.bytes.close());
        open.clear();
    }

    private record Encoding(EncodedBytes bytes, BulkWriter<RowData> writer) {}
}
