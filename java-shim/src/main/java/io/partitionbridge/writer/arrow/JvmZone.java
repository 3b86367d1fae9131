package io.partitionbridge.writer.arrow;

import java.util.Arrays;
import org.apache.flink.table.data.TimestampData;

/**
 * From a wall clock in the JVM's zone to the instant that Flink's Parquet writer makes of it. The
 * zone must not change while an object of this class is in use.
 */
final class JvmZone {

    /**
     * A span is 2^28 ms, about three days. Where the offset is the same at both its ends it is so
     * in between: no zone moves its clocks there and back again that fast.
     */
    private static final int SPAN_BITS = 28;

    /** 2037: later the JVM's calendar has no table of transitions but extrapolates. */
    private static final long CACHED_UNTIL = 2_114_380_800_000L;

    private static final int UNKNOWN = Integer.MIN_VALUE;
    private static final int UNSTEADY = Integer.MAX_VALUE;

    /** Milliseconds to take off the wall clock, by span since 1970. */
    private final int[] offsets = new int[(int) (CACHED_UNTIL >> SPAN_BITS) + 1];

    JvmZone() {
        Arrays.fill(offsets, UNKNOWN);
    }

    /**
     * @param wallClock milliseconds since 1970-01-01T00:00 on the wall clock
     * @return milliseconds since the epoch
     */
    long toInstant(long wallClock) {
        if (wallClock < 0 || wallClock >= CACHED_UNTIL) {
            return exact(wallClock);
        }
        int span = (int) (wallClock >> SPAN_BITS);
        int offset = offsets[span];
        if (offset == UNKNOWN) {
            offset = offset(span);
            offsets[span] = offset;
        }
        return offset == UNSTEADY ? exact(wallClock) : wallClock - offset;
    }

    private static int offset(int span) {
        long first = (long) span << SPAN_BITS;
        long last = first + (1L << SPAN_BITS) - 1;
        long atFirst = first - exact(first);
        return atFirst == last - exact(last) ? (int) atFirst : UNSTEADY;
    }

    /**
     * Goes through java.sql.Timestamp, as Flink's ParquetRowDataWriter does: a time in a gap moves
     * on by the gap, and one that comes twice is the one the calendar prefers. That calendar is
     * Julian before 1582-10-15, so earlier dates land on other days than in the proleptic calendar
     * of SQL. This stays as it is: Flink's reader undoes the very same shift, and a table must not
     * mix two calendars.
     */
    private static long exact(long wallClock) {
        return TimestampData.fromEpochMillis(wallClock).toTimestamp().getTime();
    }
}
