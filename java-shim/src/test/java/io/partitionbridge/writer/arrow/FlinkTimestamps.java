package io.partitionbridge.writer.arrow;

import java.math.BigInteger;
import java.sql.Timestamp;
import org.apache.flink.table.data.TimestampData;

/**
 * What Flink writes, after ParquetRowDataWriter.timestampToInt96 and timestampToInt64 of Flink 2.3,
 * line by line with their faults.
 */
final class FlinkTimestamps {

    private static final long DAY = 86_400_000L;

    private FlinkTimestamps() {}

    /**
     * INT96 as its two halves.
     *
     * @param day since 1970; may be off where nanosOfDay is negative
     */
    record Int96(long day, long nanosOfDay) {

        BigInteger nanos() {
            return BigInteger.valueOf(day)
                    .multiply(BigInteger.valueOf(DAY * 1_000_000))
                    .add(BigInteger.valueOf(nanosOfDay));
        }
    }

    static Int96 int96(TimestampData value, boolean utc) {
        if (utc) {
            long millis = value.getMillisecond();
            return new Int96(
                    millis / DAY, (millis % DAY) * 1_000_000 + value.getNanoOfMillisecond());
        }
        Timestamp timestamp = value.toTimestamp();
        long millis = timestamp.getTime();
        return new Int96(
                millis / DAY, ((millis % DAY) / 1000) * 1_000_000_000L + timestamp.getNanos());
    }

    static long int64(TimestampData value, boolean utc, TimestampEncoding.Unit unit) {
        long millis = utc ? value.getMillisecond() : value.toTimestamp().getTime();
        long nanos =
                utc ? value.getNanoOfMillisecond() : value.toTimestamp().getNanos() % 1_000_000;
        return switch (unit) {
            case NANOS -> millis * 1_000_000 + nanos;
            case MICROS -> millis * 1_000 + nanos / 1_000;
            case MILLIS -> millis;
        };
    }
}
