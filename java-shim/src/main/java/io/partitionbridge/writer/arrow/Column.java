package io.partitionbridge.writer.arrow;

import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.flink.table.api.TableRuntimeException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

/**
 * One column of a batch while it is being filled, at any depth: values come in from RowData or
 * ArrayData, slot after slot, and leave as Arrow buffers.
 *
 * <p>A subclass is specialised for one type, so that no type is looked at per row. RowData and
 * ArrayData have the same getters but no common interface, hence the pairs of methods.
 */
abstract class Column {

    private final ColumnName name;
    private final Field field;
    private final Validity validity;

    Column(ColumnName name, Field field, BufferAllocator allocator) {
        this.name = name;
        this.field = field;
        this.validity = new Validity(allocator);
    }

    final ColumnName name() {
        return name;
    }

    final Field field() {
        return field;
    }

    final void append(RowData row, int position) {
        if (row.isNullAt(position)) {
            appendNull();
        } else {
            validity.appendSet();
            appendValue(row, position);
        }
    }

    final void append(ArrayData array, int position) {
        if (array.isNullAt(position)) {
            appendNull();
        } else {
            validity.appendSet();
            appendValue(array, position);
        }
    }

    private void appendNull() {
        if (!field.isNullable()) {
            throw new TableRuntimeException(
                    "Column "
                            + name
                            + " is NOT NULL (as every key of a MAP or MULTISET in Parquet), but a"
                            + " row holds NULL there. Declare it nullable or filter such rows.");
        }
        validity.appendNull();
        appendBlankValue();
    }

    /**
     * Fills a slot under a NULL row. It counts as set, so that a NOT NULL field below a nullable
     * row never seems to hold a null.
     */
    final void appendBlank() {
        validity.appendSet();
        appendBlankValue();
    }

    abstract void appendValue(RowData row, int position);

    abstract void appendValue(ArrayData array, int position);

    /** Fills a slot that nobody reads. */
    abstract void appendBlankValue();

    /** Bytes that each slot takes at least; what comes on top goes to {@link Footprint}. */
    abstract int slotBytes();

    /** Depth first and in the order that Arrow's format gives the type's buffers. */
    final void collect(List<ArrowFieldNode> nodes, List<ArrowBuf> buffers) {
        nodes.add(new ArrowFieldNode(validity.length(), validity.nulls()));
        buffers.add(validity.padded());
        collectValues(nodes, buffers);
    }

    abstract void collectValues(List<ArrowFieldNode> nodes, List<ArrowBuf> buffers);

    /** Starts an empty batch in the memory that is there. Due before the first batch, too. */
    void clear() {
        validity.clear();
    }

    /** Gives the memory back. After {@link #clear()} the column can be filled anew. */
    void release() {
        validity.release();
    }
}
