package io.partitionbridge.writer.arrow;

import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

/** BOOLEAN, one bit a value. */
final class BooleanColumn extends Column {

    private final Bitmap values;

    BooleanColumn(ColumnName name, Field field, BufferAllocator allocator) {
        super(name, field, allocator);
        this.values = new Bitmap(allocator);
    }

    @Override
    void appendValue(RowData row, int position) {
        values.append(row.getBoolean(position));
    }

    @Override
    void appendValue(ArrayData array, int position) {
        values.append(array.getBoolean(position));
    }

    @Override
    void appendBlankValue() {
        values.append(false);
    }

    @Override
    int slotBytes() {
        return 1;
    }

    @Override
    void collectValues(List<ArrowFieldNode> nodes, List<ArrowBuf> buffers) {
        buffers.add(values.padded());
    }

    @Override
    void clear() {
        super.clear();
        values.clear();
    }

    @Override
    void release() {
        super.release();
        values.release();
    }
}
