package io.partitionbridge.writer.arrow;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.Text;

/** The other end of the builder: collects its messages and reads them as Arrow's own stream. */
final class BatchReader implements ArrowBatchBuilder.BatchConsumer {

    /**
     * One batch as Arrow reads it.
     *
     * @param announced the length that came before the bytes
     * @param rows values of each row in column order, the file number last
     */
    record Batch(int soleFile, int rowCount, long announced, int sent, List<List<Object>> rows) {}

    private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
    private final List<Batch> headers = new ArrayList<>();

    BatchReader(ArrowBatchBuilder builder) throws IOException {
        stream.write(builder.schemaMessage());
    }

    @Override
    public void accept(int soleFile, int rows, long length, List<ByteBuffer> buffers)
            throws IOException {
        int before = stream.size();
        for (ByteBuffer buffer : buffers) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            stream.write(bytes);
        }
        headers.add(new Batch(soleFile, rows, length, stream.size() - before, List.of()));
    }

    Schema schema() throws IOException {
        try (RootAllocator allocator = new RootAllocator();
                ArrowStreamReader reader = open(allocator)) {
            return reader.getVectorSchemaRoot().getSchema();
        }
    }

    List<Batch> batches() throws IOException {
        List<Batch> batches = new ArrayList<>();
        try (RootAllocator allocator = new RootAllocator();
                ArrowStreamReader reader = open(allocator)) {
            VectorSchemaRoot root = reader.getVectorSchemaRoot();
            while (reader.loadNextBatch()) {
                Batch header = headers.get(batches.size());
                batches.add(
                        new Batch(
                                header.soleFile(),
                                header.rowCount(),
                                header.announced(),
                                header.sent(),
                                rows(root)));
            }
        }
        return batches;
    }

    /** Values of the only data column over all batches. */
    List<Object> column() throws IOException {
        return batches().stream().flatMap(b -> b.rows().stream()).map(row -> row.get(0)).toList();
    }

    /** First column of the only batch, as the bare numbers. */
    List<Long> rawLongs() throws IOException {
        try (RootAllocator allocator = new RootAllocator();
                ArrowStreamReader reader = open(allocator)) {
            reader.loadNextBatch();
            FieldVector vector = reader.getVectorSchemaRoot().getVector(0);
            return LongStream.range(0, vector.getValueCount())
                    .mapToObj(i -> vector.getDataBuffer().getLong(i * Long.BYTES))
                    .toList();
        }
    }

    private ArrowStreamReader open(RootAllocator allocator) {
        return new ArrowStreamReader(new ByteArrayInputStream(stream.toByteArray()), allocator);
    }

    private static List<List<Object>> rows(VectorSchemaRoot root) {
        List<List<Object>> rows = new ArrayList<>();
        for (int i = 0; i < root.getRowCount(); i++) {
            List<Object> row = new ArrayList<>();
            for (FieldVector vector : root.getFieldVectors()) {
                row.add(plain(vector.getObject(i)));
            }
            rows.add(row);
        }
        return rows;
    }

    /** Java values that have equals(): text as String, bytes as hex digits, structs as maps. */
    private static Object plain(Object value) {
        if (value instanceof Text text) {
            return text.toString();
        }
        if (value instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(BatchReader::plain).collect(Collectors.toList());
        }
        if (value instanceof Map<?, ?> struct) {
            Map<Object, Object> fields = new HashMap<>();
            struct.forEach((name, field) -> fields.put(name, plain(field)));
            return fields;
        }
        return value;
    }
}
