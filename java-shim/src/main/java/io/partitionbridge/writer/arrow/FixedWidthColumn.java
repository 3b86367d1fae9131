package io.partitionbridge.writer.arrow;

import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;

/** A column whose values all take the same number of bytes. */
abstract class FixedWidthColumn extends Column {

    final GrowingBuffer values;
    private final int width;

    FixedWidthColumn(ColumnName name, Field field, BufferAllocator allocator, int width) {
        super(name, field, allocator);
        this.values = new GrowingBuffer(allocator);
        this.width = width;
    }

    @Override
    final int slotBytes() {
        return width;
    }

    @Override
    final void collectValues(List<ArrowFieldNode> nodes, List<ArrowBuf> buffers) {
        buffers.add(values.padded());
    }

    @Override
    final void clear() {
        super.clear();
        values.clear();
    }

    @Override
    final void release() {
        super.release();
        values.release();
    }

    /** TINYINT. */
    static final class OfByte extends FixedWidthColumn {

        OfByte(ColumnName name, Field field, BufferAllocator allocator) {
            super(name, field, allocator, Byte.BYTES);
        }

        @Override
        void appendValue(RowData row, int position) {
            values.putByte(row.getByte(position));
        }

        @Override
        void appendValue(ArrayData array, int position) {
            values.putByte(array.getByte(position));
        }

        @Override
        void appendBlankValue() {
            values.putByte(0);
        }
    }

    /** SMALLINT. */
    static final class OfShort extends FixedWidthColumn {

        OfShort(ColumnName name, Field field, BufferAllocator allocator) {
            super(name, field, allocator, Short.BYTES);
        }

        @Override
        void appendValue(RowData row, int position) {
            values.putShort(row.getShort(position));
        }

        @Override
        void appendValue(ArrayData array, int position) {
            values.putShort(array.getShort(position));
        }

        @Override
        void appendBlankValue() {
            values.putShort((short) 0);
        }
    }

    /** INT, DATE (epoch day) and TIME (millisecond of the day). */
    static final class OfInt extends FixedWidthColumn {

        OfInt(ColumnName name, Field field, BufferAllocator allocator) {
            super(name, field, allocator, Integer.BYTES);
        }

        @Override
        void appendValue(RowData row, int position) {
            values.putInt(row.getInt(position));
        }

        @Override
        void appendValue(ArrayData array, int position) {
            values.putInt(array.getInt(position));
        }

        @Override
        void appendBlankValue() {
            values.putInt(0);
        }
    }

    /** BIGINT. */
    static final class OfLong extends FixedWidthColumn {

        OfLong(ColumnName name, Field field, BufferAllocator allocator) {
            super(name, field, allocator, Long.BYTES);
        }

        @Override
        void appendValue(RowData row, int position) {
            values.putLong(row.getLong(position));
        }

        @Override
        void appendValue(ArrayData array, int position) {
            values.putLong(array.getLong(position));
        }

        @Override
        void appendBlankValue() {
            values.putLong(0);
        }
    }

    /** FLOAT. */
    static final class OfFloat extends FixedWidthColumn {

        OfFloat(ColumnName name, Field field, BufferAllocator allocator) {
            super(name, field, allocator, Float.BYTES);
        }

        @Override
        void appendValue(RowData row, int position) {
            values.putInt(Float.floatToRawIntBits(row.getFloat(position)));
        }

        @Override
        void appendValue(ArrayData array, int position) {
            values.putInt(Float.floatToRawIntBits(array.getFloat(position)));
        }

        @Override
        void appendBlankValue() {
            values.putInt(0);
        }
    }

    /** DOUBLE. */
    static final class OfDouble extends FixedWidthColumn {

        OfDouble(ColumnName name, Field field, BufferAllocator allocator) {
            super(name, field, allocator, Double.BYTES);
        }

        @Override
        void appendValue(RowData row, int position) {
            values.putLong(Double.doubleToRawLongBits(row.getDouble(position)));
        }

        @Override
        void appendValue(ArrayData array, int position) {
            values.putLong(Double.doubleToRawLongBits(array.getDouble(position)));
        }

        @Override
        void appendBlankValue() {
            values.putLong(0);
        }
    }
}
