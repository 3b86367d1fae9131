package io.partitionbridge.writer.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.flink.table.api.TableRuntimeException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The physical timestamps, against those of Flink's own writer. */
class TimestampColumnTest {

    /** DST gaps and overlaps of New York and Shanghai, ends of ranges, the change of calendar. */
    private static final List<TimestampData> WALL_CLOCKS =
            Stream.of(
                            "0001-01-01T00:00:00",
                            "1582-10-04T23:59:59.999999",
                            "1582-10-15T00:00:00",
                            "1900-12-31T15:54:17",
                            "1940-06-01T00:30:00",
                            "1969-12-31T23:59:59.999999",
                            "1969-12-31T00:00:00",
                            "1970-01-01T00:00:00",
                            "1986-05-04T02:30:00",
                            "2013-01-01T05:17:00.123456",
                            "2013-03-10T02:30:00.5",
                            "2013-11-03T01:30:00",
                            "2024-02-29T23:59:59.999999",
                            "9999-12-31T23:59:59.999999")
                    .map(text -> TimestampData.fromLocalDateTime(LocalDateTime.parse(text)))
                    .toList();

    private static final BigInteger MICRO = BigInteger.valueOf(1_000);

    private final TimeZone before = TimeZone.getDefault();

    @AfterEach
    void restoreZone() {
        TimeZone.setDefault(before);
    }

    /** From 1970 on Flink's INT96 is right in every zone, and so is ours. */
    @ParameterizedTest
    @ValueSource(strings = {"UTC", "America/New_York", "Asia/Shanghai"})
    void int96InstantsAreFlinksWhereItsArithmeticHolds(String zone) throws IOException {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        for (boolean utc : new boolean[] {false, true}) {
            for (LogicalType type : List.of(new TimestampType(6), new LocalZonedTimestampType(6))) {
                List<Long> micros =
                        written(
                                type,
                                new TimestampEncoding(utc, false, TimestampEncoding.Unit.MICROS),
                                WALL_CLOCKS);
                for (int i = 0; i < micros.size(); i++) {
                    TimestampData value = WALL_CLOCKS.get(i);
                    FlinkTimestamps.Int96 flink = FlinkTimestamps.int96(value, utc);
                    BigInteger ours = BigInteger.valueOf(micros.get(i)).multiply(MICRO);
                    boolean fraction = ours.mod(BigInteger.valueOf(1_000_000_000)).signum() != 0;
                    if (ours.signum() >= 0 || utc || !fraction) {
                        assertThat(ours)
                                .as("%s %s, utc=%s", type, value, utc)
                                .isEqualTo(flink.nanos());
                    } else {
                        assertThat(ours.add(BigInteger.valueOf(1_000_000_000)))
                                .as("%s %s: Flink is a second late before 1970", type, value)
                                .isEqualTo(flink.nanos());
                    }
                }
            }
        }
    }

    /** The instant before 1970 that was meant is what is written. */
    @Test
    void aFractionBefore1970IsNotASecondLate() throws IOException {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        TimestampData value =
                TimestampData.fromLocalDateTime(
                        LocalDateTime.parse("1969-12-31T23:59:59.999999999"));
        for (boolean utc : new boolean[] {false, true}) {
            assertThat(
                            written(
                                    new TimestampType(9),
                                    new TimestampEncoding(
                                            utc, false, TimestampEncoding.Unit.MICROS),
                                    List.of(value)))
                    .as("one nanosecond before 1970")
                    .containsExactly(-1L);
        }
    }

    /** INT64 is Flink's value in each unit, before 1970 too; no zone is declared. */
    @ParameterizedTest
    @ValueSource(strings = {"UTC", "America/New_York", "Asia/Shanghai"})
    void int64ValuesAreFlinks(String zone) throws IOException {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        for (TimestampEncoding.Unit unit : TimestampEncoding.Unit.values()) {
            for (boolean utc : new boolean[] {false, true}) {
                List<TimestampData> values =
                        WALL_CLOCKS.stream()
                                .filter(
                                        v ->
                                                unit != TimestampEncoding.Unit.NANOS
                                                        || inNanosRange(v))
                                .toList();
                assertThat(
                                written(
                                        new TimestampType(6),
                                        new TimestampEncoding(utc, true, unit),
                                        values))
                        .as("%s, utc=%s", unit, utc)
                        .isEqualTo(
                                values.stream()
                                        .map(v -> FlinkTimestamps.int64(v, utc, unit))
                                        .toList());
            }
        }
    }

    /** The unit follows the option for INT64, and the precision for INT96. */
    @Test
    void theUnitIsTheOptionsOrTheCoarsestThatHoldsThePrecision() {
        TimestampEncoding int96 = TimestampEncoding.from(Map.of());
        TimestampEncoding millis =
                new TimestampEncoding(false, true, TimestampEncoding.Unit.MILLIS);
        assertThat(Stream.of(0, 3, 4, 6, 7, 9).map(p -> type(int96, p)))
                .containsExactly(
                        "Timestamp(MILLISECOND, null)",
                        "Timestamp(MILLISECOND, null)",
                        "Timestamp(MICROSECOND, null)",
                        "Timestamp(MICROSECOND, null)",
                        "Timestamp(NANOSECOND, null)",
                        "Timestamp(NANOSECOND, null)");
        assertThat(type(millis, 9)).isEqualTo("Timestamp(MILLISECOND, null)");
    }

    /** The whole range of int64 nanoseconds passes, and nothing outside wraps. */
    @Test
    void aValueOutsideOfInt64IsRefusedWithItsCureAndNeverWraps() throws IOException {
        TimestampEncoding int96 = new TimestampEncoding(true, false, TimestampEncoding.Unit.MICROS);
        TimestampEncoding nanos = new TimestampEncoding(true, true, TimestampEncoding.Unit.NANOS);
        TimestampData lowest = nanosSinceEpoch(Long.MIN_VALUE);
        TimestampData highest = nanosSinceEpoch(Long.MAX_VALUE);
        assertThat(written(new TimestampType(9), int96, List.of(lowest, highest)))
                .containsExactly(Long.MIN_VALUE, Long.MAX_VALUE);

        for (String text :
                List.of(
                        "1677-09-21T00:12:43.145224191",
                        "2262-04-11T23:47:16.854775808",
                        "0001-01-01T00:00:00",
                        "9999-12-31T23:59:59")) {
            List<TimestampData> outside =
                    List.of(TimestampData.fromLocalDateTime(LocalDateTime.parse(text)));
            assertThatThrownBy(() -> written(new TimestampType(9), int96, outside))
                    .isInstanceOf(TableRuntimeException.class)
                    .hasMessageContaining("Column `f0` holds " + LocalDateTime.parse(text))
                    .hasMessageContaining("precision of at most 6");
            assertThatThrownBy(() -> written(new TimestampType(9), nanos, outside))
                    .as("Flink wraps here without a word")
                    .isInstanceOf(TableRuntimeException.class)
                    .hasMessageContaining("Set 'parquet.timestamp.time.unit' to 'micros'");
        }
    }

    private static boolean inNanosRange(TimestampData value) {
        int year = value.toLocalDateTime().getYear();
        return year > 1677 && year < 2262;
    }

    private static TimestampData nanosSinceEpoch(long nanos) {
        return TimestampData.fromLocalDateTime(
                LocalDateTime.ofInstant(Instant.EPOCH.plusNanos(nanos), ZoneOffset.UTC));
    }

    private static String type(TimestampEncoding encoding, int precision) {
        return new ArrowType.Timestamp(TimestampColumn.unit(encoding, precision), null).toString();
    }

    private static List<Long> written(
            LogicalType type, TimestampEncoding encoding, List<TimestampData> values)
            throws IOException {
        try (ArrowBatchBuilder builder =
                ArrowBatchBuilder.create(
                        RowType.of(type), new int[] {0}, encoding, 1000, 1 << 20)) {
            BatchReader reader = new BatchReader(builder);
            for (TimestampData value : values) {
                builder.append(GenericRowData.of(value), 0);
            }
            builder.drain(reader);
            return reader.rawLongs();
        }
    }
}
