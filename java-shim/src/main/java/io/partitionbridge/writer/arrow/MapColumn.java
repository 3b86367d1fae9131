package io.partitionbridge.writer.arrow;

import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;

/** MAP, and MULTISET as the map from element to count that it is inside Flink. */
final class MapColumn extends RepeatedColumn {

    private final Column key;
    private final Column value;
    private final ArrowBuf noBytes;

    MapColumn(
            ColumnName name,
            Field field,
            Column key,
            Column value,
            BufferAllocator allocator,
            Footprint footprint) {
        super(name, field, List.of(key, value), allocator, footprint);
        this.key = key;
        this.value = value;
        this.noBytes = allocator.getEmpty();
    }

    @Override
    void appendValue(RowData row, int position) {
        put(row.getMap(position));
    }

    @Override
    void appendValue(ArrayData array, int position) {
        put(array.getMap(position));
    }

    private void put(MapData map) {
        int size = map.size();
        ArrayData keys = map.keyArray();
        ArrayData values = map.valueArray();
        for (int i = 0; i < size; i++) {
            key.append(keys, i);
            value.append(values, i);
        }
        endSlot(size);
    }

    @Override
    void collectBetween(int repeated, List<ArrowFieldNode> nodes, List<ArrowBuf> buffers) {
        // The struct of key and value, of which none is ever null: it has no bitmap.
        nodes.add(new ArrowFieldNode(repeated, 0));
        buffers.add(noBytes);
    }
}
