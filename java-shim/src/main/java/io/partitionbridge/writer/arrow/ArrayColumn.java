package io.partitionbridge.writer.arrow;

import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

/** ARRAY as Arrow's list. */
final class ArrayColumn extends Column {

    private final Column element;
    private final GrowingBuffer offsets;
    private final Footprint footprint;
    private int elements;

    ArrayColumn(
            ColumnName name,
            Field field,
            Column element,
            BufferAllocator allocator,
            Footprint footprint) {
        super(name, field, allocator);
        this.element = element;
        this.offsets = new GrowingBuffer(allocator);
        this.footprint = footprint;
    }

    @Override
    void appendValue(RowData row, int position) {
        put(row.getArray(position));
    }

    @Override
    void appendValue(ArrayData array, int position) {
        put(array.getArray(position));
    }

    @Override
    void appendBlankValue() {
        offsets.putInt(elements);
    }

    private void put(ArrayData array) {
        int size = array.size();
        for (int i = 0; i < size; i++) {
            element.append(array, i);
        }
        elements += size;
        offsets.putInt(elements);
        footprint.add((long) size * element.slotBytes());
    }

    @Override
    int slotBytes() {
        return Integer.BYTES;
    }

    @Override
    void collectValues(List<ArrowFieldNode> nodes, List<ArrowBuf> buffers) {
        buffers.add(offsets.padded());
        element.collect(nodes, buffers);
    }

    @Override
    void clear() {
        super.clear();
        element.clear();
        offsets.clear();
        offsets.putInt(0);
        elements = 0;
    }

    @Override
    void release() {
        super.release();
        element.release();
        offsets.release();
    }
}
