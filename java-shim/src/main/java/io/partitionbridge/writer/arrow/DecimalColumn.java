package io.partitionbridge.writer.arrow;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.DecimalType;

/** DECIMAL of every precision, as Arrow's decimal128: the unscaled value, low half first. */
final class DecimalColumn extends FixedWidthColumn {

    private static final int WIDTH = 16;

    private final int precision;
    private final int scale;

    DecimalColumn(ColumnName name, Field field, DecimalType type, BufferAllocator allocator) {
        super(name, field, allocator, WIDTH);
        this.precision = type.getPrecision();
        this.scale = type.getScale();
    }

    @Override
    void appendValue(RowData row, int position) {
        put(row.getDecimal(position, precision, scale));
    }

    @Override
    void appendValue(ArrayData array, int position) {
        put(array.getDecimal(position, precision, scale));
    }

    @Override
    void appendBlankValue() {
        putHalves(0, 0);
    }

    private void put(DecimalData value) {
        if (value.isCompact()) {
            long unscaled = value.toUnscaledLong();
            putHalves(unscaled, unscaled >> 63);
        } else {
            // Two's complement, most significant byte first, as short as the value allows.
            byte[] unscaled = value.toUnscaledBytes();
            long low = unscaled[0] >> 7;
            long high = low;
            for (byte next : unscaled) {
                high = high << 8 | low >>> 56;
                low = low << 8 | next & 0xFF;
            }
            putHalves(low, high);
        }
    }

    private void putHalves(long low, long high) {
        values.putLong(low);
        values.putLong(high);
    }
}
