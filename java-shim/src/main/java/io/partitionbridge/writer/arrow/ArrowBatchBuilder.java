package io.partitionbridge.writer.arrow;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;

/**
 * Rows in, Arrow record batches out.
 *
 * <p>The columns live off the Java heap, outside of Flink's managed memory; the batch that is being
 * filled is all that is held, about twice {@code targetBytes} at most plus one row (I8). Not thread
 * safe. After an exception of {@link #append} the builder can only be closed.
 */
public final class ArrowBatchBuilder implements AutoCloseable {

    /** Last column of each batch: the file that a row belongs to. */
    public static final String FILE_COLUMN = "__file";

    /** Buffers double as they grow; above this multiple an outlier must have blown them up. */
    private static final int KEPT_PER_TARGET = 4;

    private final BufferAllocator allocator;
    private final Footprint footprint;
    private final Column[] columns;
    private final int[] positions;
    private final GrowingBuffer files;
    private final Schema schema;
    private final int maxRows;
    private final long targetBytes;
    private final int rowBytes;

    private int rows;
    private int firstFile;
    private boolean mixed;

    private ArrowBatchBuilder(
            BufferAllocator allocator,
            Footprint footprint,
            List<Column> columns,
            int[] positions,
            int maxRows,
            long targetBytes) {
        this.allocator = allocator;
        this.footprint = footprint;
        this.columns = columns.toArray(new Column[0]);
        this.positions = positions;
        this.files = new GrowingBuffer(allocator);
        this.maxRows = maxRows;
        this.targetBytes = targetBytes;
        this.rowBytes = Integer.BYTES + columns.stream().mapToInt(Column::slotBytes).sum();
        Field file =
                new Field(
                        FILE_COLUMN, FieldType.notNullable(new ArrowType.Int(32, true)), List.of());
        this.schema =
                new Schema(
                        Stream.concat(columns.stream().map(Column::field), Stream.of(file))
                                .toList());
    }

    /**
     * @param rowType physical row, partition columns included
     * @param dataFields indexes of the columns that go into the file, in order
     * @param maxRows rows after which the batch is full, at least 1
     * @param targetBytes bytes after which the batch is full; one larger row still fits
     * @throws ValidationException where a column can't be written to Parquet, there is none, or
     *     this JVM doesn't open java.nio to Arrow
     */
    public static ArrowBatchBuilder create(
            RowType rowType,
            int[] dataFields,
            TimestampEncoding timestamps,
            int maxRows,
            long targetBytes) {
        if (dataFields.length == 0) {
            throw new ValidationException(
                    "Every column of the table is a partition column, so its files would have"
                            + " none. Add a column that isn't in PARTITIONED BY.");
        }
        BufferAllocator allocator = ArrowMemory.open();
        try {
            Footprint footprint = new Footprint();
            ColumnFactory factory = new ColumnFactory(allocator, timestamps, footprint);
            List<Column> columns = new ArrayList<>();
            for (int field : dataFields) {
                RowType.RowField declared = rowType.getFields().get(field);
                columns.add(factory.column(declared.getName(), declared.getType()));
            }
            for (Column column : columns) {
                column.clear();
            }
            return new ArrowBatchBuilder(
                    allocator, footprint, columns, dataFields.clone(), maxRows, targetBytes);
        } catch (ValidationException refused) {
            allocator.close();
            throw refused;
        }
    }

    /** Encapsulated Arrow IPC schema message: the data columns, then {@link #FILE_COLUMN}. */
    public byte[] schemaMessage() {
        return IpcMessage.schema(schema);
    }

    /**
     * Copies a row; the caller may reuse it at once.
     *
     * @param file number of the file that the row belongs to, 0 or more
     * @throws org.apache.flink.table.api.TableRuntimeException where a value can't be written
     */
    public void append(RowData row, int file) {
        for (int i = 0; i < columns.length; i++) {
            columns[i].append(row, positions[i]);
        }
        files.putInt(file);
        if (rows == 0) {
            firstFile = file;
        } else if (file != firstFile) {
            mixed = true;
        }
        rows++;
    }

    public int rowCount() {
        return rows;
    }

    public boolean isEmpty() {
        return rows == 0;
    }

    /** Whether the batch is to be drained before the next row. */
    public boolean isFull() {
        return rows >= maxRows || bufferedBytes() >= targetBytes;
    }

    /** Size of the values so far in bytes; bitmaps of nulls and padding aren't counted. */
    public long bufferedBytes() {
        return (long) rows * rowBytes + footprint.bytes();
    }

    /** Off-heap memory held, of this batch and kept for the next, in bytes. */
    public long allocatedBytes() {
        return allocator.getAllocatedMemory();
    }

    /** The file that all rows belong to, or -1 where there is none or more than one. */
    public int soleFile() {
        return rows == 0 || mixed ? -1 : firstFile;
    }

    /**
     * Hands the rows over as one encapsulated Arrow IPC record batch and empties the builder, also
     * where the consumer fails. Without rows the consumer isn't called.
     */
    public void drain(BatchConsumer consumer) throws IOException {
        if (rows == 0) {
            return;
        }
        List<ArrowFieldNode> nodes = new ArrayList<>();
        List<ArrowBuf> buffers = new ArrayList<>();
        for (Column column : columns) {
            column.collect(nodes, buffers);
        }
        nodes.add(new ArrowFieldNode(rows, 0));
        buffers.add(allocator.getEmpty());
        buffers.add(files.padded());
        try (ArrowRecordBatch batch = new ArrowRecordBatch(rows, nodes, buffers)) {
            List<ByteBuffer> pieces = IpcMessage.pieces(batch);
            long length = pieces.stream().mapToLong(ByteBuffer::remaining).sum();
            consumer.accept(soleFile(), rows, length, Collections.unmodifiableList(pieces));
        } finally {
            clear();
        }
    }

    private void clear() {
        if (allocator.getAllocatedMemory() > KEPT_PER_TARGET * targetBytes) {
            release();
        }
        for (Column column : columns) {
            column.clear();
        }
        files.clear();
        footprint.clear();
        rows = 0;
        mixed = false;
    }

    private void release() {
        for (Column column : columns) {
            column.release();
        }
        files.release();
    }

    /**
     * @throws IllegalStateException where memory was leaked, which is a defect of this class
     */
    @Override
    public void close() {
        release();
        allocator.close();
    }

    /** Takes one batch. */
    @FunctionalInterface
    public interface BatchConsumer {

        /**
         * @param soleFile the file of all rows, or -1: the last column tells them apart
         * @param rows number of rows, at least 1
         * @param length sum of the remaining bytes of {@code buffers}
         * @param buffers the message in order, valid during this call only
         */
        void accept(int soleFile, int rows, long length, List<ByteBuffer> buffers)
                throws IOException;
    }
}
