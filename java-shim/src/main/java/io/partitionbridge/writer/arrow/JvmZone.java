package io.partitionbridge.writer.arrow;

import org.apache.flink.table.data.TimestampData;

/** From a wall clock in the JVM's zone to the instant that Flink's Parquet writer makes of it. */
final class JvmZone {

    /**
     * Goes through java.sql.Timestamp, as Flink's ParquetRowDataWriter does. Its calendar is Julian
     * before 1582-10-15, so that earlier dates land on other days than in the proleptic calendar of
     * SQL. That stays as it is: Flink's reader undoes the very same shift, and a table must not mix
     * two calendars.
     *
     * @param wallClock milliseconds since 1970-01-01T00:00 on the wall clock
     * @return milliseconds since the epoch
     */
    long toInstant(long wallClock) {
        return TimestampData.fromEpochMillis(wallClock).toTimestamp().getTime();
    }
}
