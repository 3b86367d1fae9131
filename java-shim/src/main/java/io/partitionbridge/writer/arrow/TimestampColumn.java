package io.partitionbridge.writer.arrow;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.flink.table.api.TableRuntimeException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;

/**
 * TIMESTAMP and TIMESTAMP_LTZ as the physical value that goes into the file; what reads the batch
 * converts nothing.
 *
 * <p>The instants are those of Flink's ParquetRowDataWriter, except where its INT96 arithmetic
 * breaks before 1970: dividing towards zero, it writes a fraction of a second one second late, or a
 * negative time of day. Here such a value is the instant that was meant. Also unlike Flink, a value
 * that the unit can't hold is refused and never wraps.
 */
final class TimestampColumn extends FixedWidthColumn {

    private final int precision;
    private final TimestampEncoding encoding;
    private final TimeUnit unit;
    private final int unitsPerMilli;
    private final int nanosPerUnit;
    private final JvmZone zone;

    TimestampColumn(
            ColumnName name,
            Field field,
            int precision,
            TimestampEncoding encoding,
            JvmZone zone,
            BufferAllocator allocator) {
        super(name, field, allocator, Long.BYTES);
        this.precision = precision;
        this.encoding = encoding;
        this.unit = unit(encoding, precision);
        this.unitsPerMilli =
                switch (unit) {
                    case SECOND, MILLISECOND -> 1;
                    case MICROSECOND -> 1_000;
                    case NANOSECOND -> 1_000_000;
                };
        this.nanosPerUnit = 1_000_000 / unitsPerMilli;
        this.zone = zone;
    }

    /**
     * INT64 has the unit that the option asks for. INT96 itself has nanoseconds and a range of
     * millions of years, so there the coarsest unit that the type fits in serves: it loses nothing
     * and leaves only TIMESTAMP(7..9) with the range of int64 nanoseconds.
     */
    static TimeUnit unit(TimestampEncoding encoding, int precision) {
        if (encoding.int64()) {
            return switch (encoding.unit()) {
                case MILLIS -> TimeUnit.MILLISECOND;
                case MICROS -> TimeUnit.MICROSECOND;
                case NANOS -> TimeUnit.NANOSECOND;
            };
        }
        if (precision <= 3) {
            return TimeUnit.MILLISECOND;
        }
        return precision <= 6 ? TimeUnit.MICROSECOND : TimeUnit.NANOSECOND;
    }

    @Override
    void appendValue(RowData row, int position) {
        values.putLong(physical(row.getTimestamp(position, precision)));
    }

    @Override
    void appendValue(ArrayData array, int position) {
        values.putLong(physical(array.getTimestamp(position, precision)));
    }

    @Override
    void appendBlankValue() {
        values.putLong(0);
    }

    private long physical(TimestampData value) {
        long millis = value.getMillisecond();
        if (!encoding.utc()) {
            millis = zone.toInstant(millis);
        }
        int rest = value.getNanoOfMillisecond() / nanosPerUnit;
        try {
            if (millis < 0) {
                // The rest counts up from the millisecond below, whose start may be out of range
                // though the value isn't: so take it down from the millisecond above.
                return Math.addExact(
                        Math.multiplyExact(millis + 1, unitsPerMilli), rest - unitsPerMilli);
            }
            return Math.addExact(Math.multiplyExact(millis, unitsPerMilli), rest);
        } catch (ArithmeticException outOfRange) {
            throw refused(value);
        }
    }

    private TableRuntimeException refused(TimestampData value) {
        boolean nanos = unit == TimeUnit.NANOSECOND;
        String range =
                nanos
                        ? "nanoseconds from 1677-09-21 to 2262-04-11"
                        : "microseconds of about 292,000 years around 1970";
        String cure =
                encoding.int64() && nanos
                        ? "Set 'parquet.timestamp.time.unit' to 'micros'"
                        : "Declare the column with a precision of at most 6";
        return new TableRuntimeException(
                String.format(
                        "Column %s holds %s, which is outside of what 64 bits hold (%s). %s, or"
                                + " filter such rows.",
                        name(), value, range, cure));
    }
}
