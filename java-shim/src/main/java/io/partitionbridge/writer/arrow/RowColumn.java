package io.partitionbridge.writer.arrow;

import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

/** ROW as Arrow's struct. */
final class RowColumn extends Column {

    private final Column[] fields;
    private final int slotBytes;

    RowColumn(ColumnName name, Field field, List<Column> fields, BufferAllocator allocator) {
        super(name, field, allocator);
        this.fields = fields.toArray(new Column[0]);
        this.slotBytes = fields.stream().mapToInt(Column::slotBytes).sum();
    }

    @Override
    void appendValue(RowData row, int position) {
        put(row.getRow(position, fields.length));
    }

    @Override
    void appendValue(ArrayData array, int position) {
        put(array.getRow(position, fields.length));
    }

    @Override
    void appendBlankValue() {
        for (Column field : fields) {
            field.appendBlank();
        }
    }

    private void put(RowData row) {
        for (int i = 0; i < fields.length; i++) {
            fields[i].append(row, i);
        }
    }

    @Override
    int slotBytes() {
        return slotBytes;
    }

    @Override
    void collectValues(List<ArrowFieldNode> nodes, List<ArrowBuf> buffers) {
        for (Column field : fields) {
            field.collect(nodes, buffers);
        }
    }

    @Override
    void clear() {
        super.clear();
        for (Column field : fields) {
            field.clear();
        }
    }

    @Override
    void release() {
        super.release();
        for (Column field : fields) {
            field.release();
        }
    }
}
