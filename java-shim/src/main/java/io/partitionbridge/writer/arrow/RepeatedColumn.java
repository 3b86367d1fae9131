package io.partitionbridge.writer.arrow;

import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * A column whose slots hold any number of slots of other columns each, told apart by offsets.
 *
 * <p>A subclass appends to those columns and then ends its own slot with {@link #endSlot}.
 */
abstract class RepeatedColumn extends Column {

    private final List<Column> parts;
    private final int bytesOfParts;
    private final GrowingBuffer offsets;
    private final Footprint footprint;
    private int repeated;

    RepeatedColumn(
            ColumnName name,
            Field field,
            List<Column> parts,
            BufferAllocator allocator,
            Footprint footprint) {
        super(name, field, allocator);
        this.parts = parts;
        this.bytesOfParts = parts.stream().mapToInt(Column::slotBytes).sum();
        this.offsets = new GrowingBuffer(allocator);
        this.footprint = footprint;
    }

    /**
     * @param size slots that each of the parts has got since the last call
     */
    final void endSlot(int size) {
        repeated += size;
        offsets.putInt(repeated);
        footprint.add((long) size * bytesOfParts);
    }

    @Override
    final void appendBlankValue() {
        offsets.putInt(repeated);
    }

    @Override
    final int slotBytes() {
        return Integer.BYTES;
    }

    @Override
    final void collectValues(List<ArrowFieldNode> nodes, List<ArrowBuf> buffers) {
        buffers.add(offsets.padded());
        collectBetween(repeated, nodes, buffers);
        for (Column part : parts) {
            part.collect(nodes, buffers);
        }
    }

    /** What Arrow has between the offsets and the parts, {@code repeated} slots long. */
    abstract void collectBetween(int repeated, List<ArrowFieldNode> nodes, List<ArrowBuf> buffers);

    @Override
    final void clear() {
        super.clear();
        parts.forEach(Column::clear);
        offsets.clear();
        offsets.putInt(0);
        repeated = 0;
    }

    @Override
    final void release() {
        super.release();
        parts.forEach(Column::release);
        offsets.release();
    }
}
