package io.partitionbridge.writer.arrow;

import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

/** ARRAY as Arrow's list. */
final class ArrayColumn extends RepeatedColumn {

    private final Column element;

    ArrayColumn(
            ColumnName name,
            Field field,
            Column element,
            BufferAllocator allocator,
            Footprint footprint) {
        super(name, field, List.of(element), allocator, footprint);
        this.element = element;
    }

    @Override
    void appendValue(RowData row, int position) {
        put(row.getArray(position));
    }

    @Override
    void appendValue(ArrayData array, int position) {
        put(array.getArray(position));
    }

    private void put(ArrayData array) {
        int size = array.size();
        for (int i = 0; i < size; i++) {
            element.append(array, i);
        }
        endSlot(size);
    }

    @Override
    void collectBetween(int repeated, List<ArrowFieldNode> nodes, List<ArrowBuf> buffers) {
        // Arrow's list has its elements right behind the offsets.
    }
}
