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
final class MapColumn extends Column {

    private final Column key;
    private final Column value;
    private final GrowingBuffer offsets;
    private final ArrowBuf noBytes;
    private final Footprint footprint;
    private int entries;

    MapColumn(
            ColumnName name,
            Field field,
            Column key,
            Column value,
            BufferAllocator allocator,
            Footprint footprint) {
        super(name, field, allocator);
        this.key = key;
        this.value = value;
        this.offsets = new GrowingBuffer(allocator);
        this.noBytes = allocator.getEmpty();
        this.footprint = footprint;
    }

    @Override
    void appendValue(RowData row, int position) {
        put(row.getMap(position));
    }

    @Override
    void appendValue(ArrayData array, int position) {
        put(array.getMap(position));
    }

    @Override
    void appendBlankValue() {
        offsets.putInt(entries);
    }

    private void put(MapData map) {
        int size = map.size();
        ArrayData keys = map.keyArray();
        ArrayData values = map.valueArray();
        for (int i = 0; i < size; i++) {
            key.append(keys, i);
            value.append(values, i);
        }
        entries += size;
        offsets.putInt(entries);
        footprint.add((long) size * (key.slotBytes() + value.slotBytes()));
    }

    @Override
    int slotBytes() {
        return Integer.BYTES;
    }

    @Override
    void collectValues(List<ArrowFieldNode> nodes, List<ArrowBuf> buffers) {
        buffers.add(offsets.padded());
        // The struct of key and value, of which none is ever null: it has no bitmap.
        nodes.add(new ArrowFieldNode(entries, 0));
        buffers.add(noBytes);
        key.collect(nodes, buffers);
        value.collect(nodes, buffers);
    }

    @Override
    void clear() {
        super.clear();
        key.clear();
        value.clear();
        offsets.clear();
        offsets.putInt(0);
        entries = 0;
    }

    @Override
    void release() {
        super.release();
        key.release();
        value.release();
        offsets.release();
    }
}
