package io.partitionbridge.writer.arrow;

import static io.partitionbridge.writer.arrow.RoundTrip.builder;
import static io.partitionbridge.writer.arrow.RoundTrip.roundTrip;
import static io.partitionbridge.writer.arrow.RoundTrip.struct;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryStringData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BinaryType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.CharType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.SmallIntType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every type that Flink's Parquet writer takes, at every depth, read back by Arrow. */
class ArrowColumnTest {

    static Stream<Arguments> scalars() {
        return Stream.of(
                scalar(new BooleanType(), List.of(true, false, true), List.of(true, false, true)),
                scalar(
                        new TinyIntType(),
                        List.of((byte) 1, Byte.MIN_VALUE, Byte.MAX_VALUE),
                        List.of((byte) 1, Byte.MIN_VALUE, Byte.MAX_VALUE)),
                scalar(
                        new SmallIntType(),
                        List.of((short) 1, Short.MIN_VALUE, Short.MAX_VALUE),
                        List.of((short) 1, Short.MIN_VALUE, Short.MAX_VALUE)),
                scalar(
                        new IntType(),
                        List.of(1, Integer.MIN_VALUE, Integer.MAX_VALUE),
                        List.of(1, Integer.MIN_VALUE, Integer.MAX_VALUE)),
                scalar(
                        new BigIntType(),
                        List.of(1L, Long.MIN_VALUE, Long.MAX_VALUE),
                        List.of(1L, Long.MIN_VALUE, Long.MAX_VALUE)),
                scalar(
                        new FloatType(),
                        List.of(-0.0f, Float.NaN, Float.NEGATIVE_INFINITY, Float.MIN_VALUE),
                        List.of(-0.0f, Float.NaN, Float.NEGATIVE_INFINITY, Float.MIN_VALUE)),
                scalar(
                        new DoubleType(),
                        List.of(-0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.MAX_VALUE),
                        List.of(-0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.MAX_VALUE)),
                scalar(
                        new DateType(),
                        List.of(0, -719_162, 2_932_896),
                        List.of(0, -719_162, 2_932_896)),
                scalar(
                        new TimeType(9),
                        List.of(0, 86_399_999),
                        List.of(
                                LocalDateTime.parse("1970-01-01T00:00"),
                                LocalDateTime.parse("1970-01-01T23:59:59.999"))),
                scalar(new CharType(3), List.of(text("abc"), text("äöü")), List.of("abc", "äöü")),
                scalar(
                        VarCharType.STRING_TYPE,
                        List.of(text(""), text("\uD83D\uDE00 plain"), text("x".repeat(5000))),
                        List.of("", "\uD83D\uDE00 plain", "x".repeat(5000))),
                scalar(
                        new BinaryType(2),
                        List.of(new byte[] {0, -1}, new byte[] {127, -128}),
                        List.of("00ff", "7f80")),
                scalar(
                        new VarBinaryType(VarBinaryType.MAX_LENGTH),
                        List.of(new byte[0], new byte[] {1, 2, 3}),
                        List.of("", "010203")),
                scalar(
                        new TimestampType(3),
                        List.of(timestamp("1969-12-31T23:59:59.999")),
                        List.of(LocalDateTime.parse("1969-12-31T23:59:59.999"))),
                scalar(
                        new TimestampType(6),
                        List.of(
                                timestamp("0001-01-01T00:00:00.000001"),
                                timestamp("9999-12-31T23:59:59.999999")),
                        List.of(
                                LocalDateTime.parse("0001-01-01T00:00:00.000001"),
                                LocalDateTime.parse("9999-12-31T23:59:59.999999"))),
                scalar(
                        new TimestampType(9),
                        List.of(timestamp("1969-12-31T23:59:59.999999999")),
                        List.of(LocalDateTime.parse("1969-12-31T23:59:59.999999999"))),
                scalar(
                        new LocalZonedTimestampType(9),
                        List.of(timestamp("2013-01-01T05:00:00.000000001")),
                        List.of(LocalDateTime.parse("2013-01-01T05:00:00.000000001"))));
    }

    /** As a column, an element, a map value and a nested field, with nulls in between. */
    @ParameterizedTest
    @MethodSource("scalars")
    void aScalarKeepsItsValuesAtEveryDepth(
            LogicalType type, List<Object> values, List<Object> expected) throws IOException {
        List<Object> given = withNulls(values);
        List<Object> wanted = withNulls(expected);

        assertThat(roundTrip(type, given)).as("as a column").isEqualTo(wanted);
        assertThat(
                        roundTrip(
                                new ArrayType(type),
                                Arrays.asList(new GenericArrayData(given.toArray()), null)))
                .as("as elements")
                .isEqualTo(Arrays.asList(wanted, null));

        Map<Object, Object> map = new LinkedHashMap<>();
        List<Object> entries = new ArrayList<>();
        for (int i = 0; i < given.size(); i++) {
            map.put(i, given.get(i));
            entries.add(struct("key", i, "value", wanted.get(i)));
        }
        assertThat(
                        roundTrip(
                                new MapType(new IntType(false), type),
                                Arrays.asList(new GenericMapData(map), null)))
                .as("as map values")
                .isEqualTo(Arrays.asList(entries, null));

        List<Object> rows = new ArrayList<>(given.stream().map(GenericRowData::of).toList());
        List<Object> structs = new ArrayList<>();
        wanted.forEach(value -> structs.add(struct("f", value)));
        rows.add(null);
        structs.add(null);
        assertThat(roundTrip(RowType.of(new LogicalType[] {type}, new String[] {"f"}), rows))
                .as("as a nested field, below a null row too")
                .isEqualTo(structs);
    }

    /** Every precision, at its limits and in between. */
    @Test
    void decimalsOfEveryPrecisionKeepTheirDigits() throws IOException {
        for (int precision = 1; precision <= DecimalType.MAX_PRECISION; precision++) {
            for (int scale : new int[] {0, precision / 2, precision}) {
                BigInteger limit = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
                List<BigDecimal> values =
                        Stream.of(
                                        limit,
                                        limit.negate(),
                                        BigInteger.ZERO,
                                        BigInteger.ONE.negate(),
                                        limit.shiftRight(1))
                                .map(unscaled -> new BigDecimal(unscaled, scale))
                                .toList();
                int p = precision;
                List<Object> given =
                        values.stream()
                                .map(v -> (Object) DecimalData.fromBigDecimal(v, p, scale))
                                .toList();
                assertThat(roundTrip(new DecimalType(precision, scale), withNulls(given)))
                        .as("DECIMAL(%d, %d)", precision, scale)
                        .isEqualTo(withNulls(values));
            }
        }
    }

    /** Text may lie off the heap or be spread over memory segments. */
    @Test
    void textIsTakenFromEveryKindOfMemory() throws IOException {
        byte[] bytes = "..offheap..".getBytes(StandardCharsets.UTF_8);
        MemorySegment offHeap = MemorySegmentFactory.allocateUnpooledOffHeapMemory(bytes.length);
        offHeap.put(0, bytes);
        MemorySegment[] spread = {
            MemorySegmentFactory.wrap("ab".getBytes(StandardCharsets.UTF_8)),
            MemorySegmentFactory.wrap("cd".getBytes(StandardCharsets.UTF_8))
        };
        RowType type = RowType.of(VarCharType.STRING_TYPE);
        try (ArrowBatchBuilder builder = builder(type)) {
            BatchReader reader = new BatchReader(builder);
            Stream.of(
                            BinaryStringData.fromAddress(new MemorySegment[] {offHeap}, 2, 7),
                            BinaryStringData.fromAddress(spread, 1, 3))
                    .forEach(value -> builder.append(GenericRowData.of(value), 0));
            builder.drain(reader);
            assertThat(reader.column()).containsExactly("offheap", "bcd");
        }
    }

    private static Arguments scalar(LogicalType type, List<?> values, List<?> expected) {
        return Arguments.of(type, values, expected);
    }

    /** Valid first, so that the bitmap comes into being late; past one byte of bits. */
    private static List<Object> withNulls(List<?> values) {
        List<Object> all = new ArrayList<>(values);
        for (int i = 0; i < 9; i++) {
            all.add(null);
            all.addAll(values);
        }
        return all;
    }

    private static StringData text(String value) {
        return StringData.fromString(value);
    }

    private static TimestampData timestamp(String value) {
        return TimestampData.fromLocalDateTime(LocalDateTime.parse(value));
    }
}
