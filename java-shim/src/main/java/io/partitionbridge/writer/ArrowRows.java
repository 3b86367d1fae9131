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

/** Rows as Arrow batches; all open files share one builder. The writer encodes them. */
final class ArrowRows implements RowEncoder {

    private static final int BATCH_ROWS = 16_384;

    private final FrameSink writer;
    private final ArrowBatchBuilder builder;
    private final long largestBatch;

    private final List<OpenFile> filesOfBatch = new ArrayList<>();
    private long batch = 1;

    /**
     * @param largestBatch the largest payload that the writer is sure to grant credit for
     */
    ArrowRows(FrameSink writer, ArrowBatchBuilder builder, long largestBatch) {
        this.writer = writer;
        this.builder = builder;
        this.largestBatch = largestBatch;
    }

    static ArrowRows create(FrameSink writer, WriterSpec spec, Bootstrap bootstrap) {
        ArrowBatchBuilder builder =
                ArrowBatchBuilder.create(
                        spec.rowType(),
                        spec.dataFields(),
                        TimestampEncoding.from(spec.formatOptions()),
                        BATCH_ROWS,
                        bootstrap.batchBytes());
        return new ArrowRows(writer, builder, bootstrap.largestBatch());
    }

    @Override
    public void start() throws IOException {
        writer.send(Frames.schema(builder.schemaMessage()));
    }

    @Override
    public void write(RowData row, OpenFile file) throws IOException {
        builder.append(row, file.number());
        if (file.wentInto(batch)) {
            filesOfBatch.add(file);
        }
        if (builder.isFull()) {
            flush();
        }
    }

    @Override
    public void finish(OpenFile file) throws IOException {
        if (file.hasRowsIn(batch)) {
            flush();
        }
    }

    @Override
    public void flush() throws IOException {
        builder.drain(this::send);
        filesOfBatch.clear();
        batch++;
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
        filesOfBatch.forEach(each -> each.tail().sent(length * each.rowsInBatch() / rows));
    }

    @Override
    public void close() {
        builder.close();
    }
}
