package io.partitionbridge.writer.arrow;

import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryStringData;

/** A column of byte strings behind int32 offsets: Arrow's utf8 and binary. */
abstract class VariableWidthColumn extends Column {

    final GrowingBuffer bytes;
    private final GrowingBuffer offsets;
    private final Footprint footprint;

    VariableWidthColumn(
            ColumnName name, Field field, BufferAllocator allocator, Footprint footprint) {
        super(name, field, allocator);
        this.bytes = new GrowingBuffer(allocator);
        this.offsets = new GrowingBuffer(allocator);
        this.footprint = footprint;
    }

    final void finish(int length) {
        offsets.putInt(bytes.size());
        footprint.add(length);
    }

    @Override
    final void appendBlankValue() {
        finish(0);
    }

    @Override
    final int slotBytes() {
        return Integer.BYTES;
    }

    @Override
    final void collectValues(List<ArrowFieldNode> nodes, List<ArrowBuf> buffers) {
        buffers.add(offsets.padded());
        buffers.add(bytes.padded());
    }

    @Override
    final void clear() {
        super.clear();
        bytes.clear();
        offsets.clear();
        offsets.putInt(0);
    }

    @Override
    final void release() {
        super.release();
        bytes.release();
        offsets.release();
    }

    /** CHAR and VARCHAR. */
    static final class OfText extends VariableWidthColumn {

        OfText(ColumnName name, Field field, BufferAllocator allocator, Footprint footprint) {
            super(name, field, allocator, footprint);
        }

        @Override
        void appendValue(RowData row, int position) {
            put(row.getString(position));
        }

        @Override
        void appendValue(ArrayData array, int position) {
            put(array.getString(position));
        }

        private void put(StringData text) {
            BinaryStringData value = (BinaryStringData) text;
            value.ensureMaterialized();
            MemorySegment[] segments = value.getSegments();
            int length = value.getSizeInBytes();
            if (segments.length > 1) {
                bytes.putBytes(value.toBytes(), 0, length);
            } else if (segments[0].isOffHeap()) {
                bytes.putMemory(segments[0].getAddress() + value.getOffset(), length);
            } else {
                bytes.putBytes(segments[0].getArray(), value.getOffset(), length);
            }
            finish(length);
        }
    }

    /** BINARY and VARBINARY. */
    static final class OfBinary extends VariableWidthColumn {

        OfBinary(ColumnName name, Field field, BufferAllocator allocator, Footprint footprint) {
            super(name, field, allocator, footprint);
        }

        @Override
        void appendValue(RowData row, int position) {
            put(row.getBinary(position));
        }

        @Override
        void appendValue(ArrayData array, int position) {
            put(array.getBinary(position));
        }

        private void put(byte[] value) {
            bytes.putBytes(value, 0, value.length);
            finish(value.length);
        }
    }
}
