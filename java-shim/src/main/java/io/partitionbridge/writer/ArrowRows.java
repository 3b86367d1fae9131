package io.partitionbridge.writer;

import io.partitionbridge.control.FrameSink;
import io.partitionbridge.control.Frames;
import io.partitionbridge.writer.arrow.ArrowBatchBuilder;
import io.partitionbridge.writer.arrow.TimestampEncoding;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * Rows as Arrow batches, which the writer encodes.
 *
 * <pre>
 *   the first few open files ─► a builder each ─► BATCH of one file, which the writer takes as it is
 *   all others               ─► one builder    ─► BATCH of several,  which the writer must split
 * </pre>
 *
 * <p>A file stays with its builder until it's closed, so its rows keep their order.
 */
final class ArrowRows implements RowEncoder {

    /** So few that they cost no memory; most jobs write into no more partitions at a time. */
    private static final int OWN_BUILDERS = 3;

    private static final int BATCH_ROWS = 16_384;

    private final FrameSink writer;
    private final Batch shared;
    private final Batch[] own;
    private final OpenFile[] owners;
    private final long largestBatch;

    private long batches;

    /**
     * @param shared builder of the files that have none of their own
     * @param own builders of one file each
     * @param largestBatch the largest payload that the writer is sure to grant credit for
     */
    ArrowRows(
            FrameSink writer,
            ArrowBatchBuilder shared,
            List<ArrowBatchBuilder> own,
            long largestBatch) {
        this.writer = writer;
        this.shared = new Batch(shared);
        this.own = own.stream().map(Batch::new).toArray(Batch[]::new);
        this.owners = new OpenFile[own.size()];
        this.largestBatch = largestBatch;
    }

    static ArrowRows create(FrameSink writer, WriterSpec spec, Bootstrap bootstrap) {
        // Each doubles as it grows; all together they have the memory that one batch is given.
        long batchBytes = Math.max(1, bootstrap.batchBytes() / (1 + OWN_BUILDERS));
        List<ArrowBatchBuilder> builders = new ArrayList<>();
        for (int i = 0; i < 1 + OWN_BUILDERS; i++) {
            builders.add(
                    ArrowBatchBuilder.create(
                            spec.rowType(),
                            spec.dataFields(),
                            TimestampEncoding.from(spec.formatOptions()),
                            BATCH_ROWS,
                            batchBytes));
        }
        return new ArrowRows(writer, builders.remove(0), builders, bootstrap.largestBatch());
    }

    @Override
    public void start() throws IOException {
        writer.send(Frames.schema(shared.builder.schemaMessage()));
    }

    @Override
    public void write(RowData row, OpenFile file) throws IOException {
        Batch batch = batchOf(file);
        batch.append(row, file);
        if (batch.builder.isFull()) {
            batch.flush();
        }
    }

    private Batch batchOf(OpenFile file) {
        for (int i = 0; i < owners.length; i++) {
            if (owners[i] == file) {
                return own[i];
            }
        }
        if (!file.hasRows()) {
            for (int i = 0; i < owners.length; i++) {
                if (owners[i] == null) {
                    owners[i] = file;
                    return own[i];
                }
            }
        }
        return shared;
    }

    @Override
    public void finish(OpenFile file) throws IOException {
        Batch batch = batchOf(file);
        if (file.hasRowsIn(batch.number)) {
            batch.flush();
        }
        for (int i = 0; i < owners.length; i++) {
            if (owners[i] == file) {
                owners[i] = null;
            }
        }
    }

    @Override
    public void flush() throws IOException {
        for (Batch batch : own) {
            batch.flush();
        }
        shared.flush();
    }

    @Override
    public void close() {
        shared.builder.close();
        for (Batch batch : own) {
            batch.builder.close();
        }
    }

    /** A batch that is being filled, and the files that have rows in it. */
    private final class Batch {

        final ArrowBatchBuilder builder;
        private final List<OpenFile> files = new ArrayList<>();
        private long number = ++batches;

        Batch(ArrowBatchBuilder builder) {
            this.builder = builder;
        }

        void append(RowData row, OpenFile file) {
            builder.append(row, file.number());
            if (file.wentInto(number)) {
                files.add(file);
            }
        }

        void flush() throws IOException {
            builder.drain(this::send);
            files.clear();
            number = ++batches;
        }

        private void send(int file, int rows, long length, List<ByteBuffer> message)
                throws IOException {
            // The writer would never grant it, and the task would wait for ever (docs/protocol.md).
            if (Frames.BATCH_FIELDS + length > largestBatch) {
                throw new IOException(
                        "A batch of "
                                + rows
                                + " rows has "
                                + length
                                + " bytes, since a row is very large; the writer takes at most "
                                + largestBatch
                                + ", an eighth of its memory. Raise 'sink.writer.memory'.");
            }
            writer.sendBatch(file, rows, length, message);
            // Rows of a batch are taken to be of one size.
            files.forEach(each -> each.tail().sent(length * each.rowsInBatch() / rows));
        }
    }
}
