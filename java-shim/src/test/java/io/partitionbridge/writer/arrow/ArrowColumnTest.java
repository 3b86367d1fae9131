package io.partitionbridge.writer.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.api.TableRuntimeException;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryStringData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BinaryType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.CharType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DayTimeIntervalType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.NullType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.SmallIntType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.table.types.logical.ZonedTimestampType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every type that Flink's Parquet writer takes, at every depth, read back by Arrow. */
class ArrowColumnTest {

    private static final TimestampEncoding UTC =
            TimestampEncoding.from(Map.of("parquet.utc-timezone", "true"));

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

    /** Arrays of maps of rows of arrays: null, empty and filled on each level. */
    @Test
    void nestingKeepsNullsAndEmptinessApartOnEachLevel() throws IOException {
        RowType row =
                RowType.of(
                        new LogicalType[] {
                            new IntType(false), new ArrayType(VarCharType.STRING_TYPE)
                        },
                        new String[] {"a", "b"});
        LogicalType type = new ArrayType(new MapType(VarCharType.STRING_TYPE, row));
        Map<Object, Object> filled = new LinkedHashMap<>();
        filled.put(text("null"), null);
        filled.put(text("empty"), GenericRowData.of(1, new GenericArrayData(new Object[0])));
        filled.put(
                text("full"),
                GenericRowData.of(2, new GenericArrayData(new Object[] {text("x"), null})));
        filled.put(text("half"), GenericRowData.of(3, null));
        List<Object> given =
                Arrays.asList(
                        null,
                        new GenericArrayData(new Object[0]),
                        new GenericArrayData(
                                new Object[] {
                                    null, new GenericMapData(Map.of()), new GenericMapData(filled)
                                }),
                        new GenericArrayData(new Object[] {new GenericMapData(filled)}));

        List<Object> entries =
                List.of(
                        struct("key", "null"),
                        struct("key", "empty", "value", struct("a", 1, "b", List.of())),
                        struct(
                                "key",
                                "full",
                                "value",
                                struct("a", 2, "b", Arrays.asList("x", null))),
                        struct("key", "half", "value", struct("a", 3)));
        assertThat(roundTrip(type, given))
                .isEqualTo(
                        Arrays.asList(
                                null,
                                List.of(),
                                Arrays.asList(null, List.of(), entries),
                                List.of(entries)));
    }

    /** A multiset is the map from element to count that Flink's Parquet writer makes of it. */
    @Test
    void aMultisetIsAMapToCounts() throws IOException {
        assertThat(
                        roundTrip(
                                new MultisetType(VarCharType.STRING_TYPE),
                                Arrays.asList(new GenericMapData(Map.of(text("a"), 2)), null)))
                .isEqualTo(Arrays.asList(List.of(struct("key", "a", "value", 2)), null));
    }

    /** Names and nullability are those of Flink's Parquet schema. */
    @Test
    void theSchemaHasFlinksNamesAndNullability() throws IOException {
        RowType type =
                RowType.of(
                        new LogicalType[] {
                            new ArrayType(false, new IntType(false)),
                            new MapType(VarCharType.STRING_TYPE, new DecimalType(5, 2)),
                            new MultisetType(new TimeType(0)),
                            RowType.of(
                                    new LogicalType[] {new BooleanType(false)},
                                    new String[] {"Inner"})
                        },
                        new String[] {"list", "map", "bag", "row"});
        try (ArrowBatchBuilder builder = builder(type)) {
            List<String> fields =
                    new BatchReader(builder)
                            .schema().getFields().stream().map(Field::toString).toList();
            assertThat(fields)
                    .containsExactly(
                            "list: List<element: Int(32, true) not null> not null",
                            "map: Map(false)<key_value: Struct<key: Utf8 not null, value:"
                                    + " Decimal(5, 2, 128)> not null>",
                            "bag: Map(false)<key_value: Struct<key: Time(MILLISECOND, 32) not"
                                    + " null, value: Int(32, true) not null> not null>",
                            "row: Struct<Inner: Bool not null>",
                            "__file: Int(32, true) not null");
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

    static Stream<LogicalType> unsupported() {
        return Stream.of(
                new ZonedTimestampType(3),
                new DayTimeIntervalType(DayTimeIntervalType.DayTimeResolution.DAY),
                new NullType(),
                RowType.of());
    }

    /** What Flink's Parquet writer doesn't take is refused before a row is read. */
    @ParameterizedTest
    @MethodSource("unsupported")
    void aTypeThatParquetDoesNotTakeIsRefusedByColumnAndType(LogicalType type) {
        RowType row =
                RowType.of(
                        new LogicalType[] {
                            RowType.of(new LogicalType[] {new ArrayType(type)}, new String[] {"in"})
                        },
                        new String[] {"out"});
        assertThatThrownBy(() -> builder(row))
                .as("the message leads to the place in the DDL")
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("`out`.`in`.element")
                .hasMessageContaining(type.asSummaryString());
    }

    /** A null where the type has none is an error that names the column, never a silent default. */
    @Test
    void aNullInANotNullColumnIsRefusedByName() {
        RowType keyed = RowType.of(new MapType(VarCharType.STRING_TYPE, new IntType()));
        Map<Object, Object> nullKey = new HashMap<>();
        nullKey.put(null, 1);
        try (ArrowBatchBuilder builder = builder(RowType.of(new IntType(false)));
                ArrowBatchBuilder maps = builder(keyed)) {
            assertThatThrownBy(() -> builder.append(GenericRowData.of((Object) null), 0))
                    .isInstanceOf(TableRuntimeException.class)
                    .hasMessageContaining("Column `f0` is NOT NULL");
            assertThatThrownBy(() -> maps.append(GenericRowData.of(new GenericMapData(nullKey)), 0))
                    .as("Parquet has no null keys")
                    .isInstanceOf(TableRuntimeException.class)
                    .hasMessageContaining("Column `f0`.key");
        }
    }

    /** Reads the values back as a column, given as generic and as binary rows. */
    private static List<Object> roundTrip(LogicalType type, List<?> values) throws IOException {
        RowType row = RowType.of(type);
        RowDataSerializer serializer = new RowDataSerializer(row);
        try (ArrowBatchBuilder builder = builder(row)) {
            BatchReader reader = new BatchReader(builder);
            for (Object value : values) {
                builder.append(GenericRowData.of(value), 0);
            }
            builder.drain(reader);
            for (Object value : values) {
                RowData binary = serializer.toBinaryRow(GenericRowData.of(value));
                builder.append(binary, 0);
            }
            builder.drain(reader);
            List<Object> column = reader.column();
            assertThat(column.subList(values.size(), column.size()))
                    .as("binary rows give what generic rows give")
                    .isEqualTo(column.subList(0, values.size()));
            return column.subList(0, values.size());
        }
    }

    private static ArrowBatchBuilder builder(RowType type) {
        int[] all = IntStream.range(0, type.getFieldCount()).toArray();
        return ArrowBatchBuilder.create(type, all, UTC, 1 << 20, 1 << 20);
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

    private static Map<Object, Object> struct(Object... namesAndValues) {
        Map<Object, Object> struct = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            if (namesAndValues[i + 1] != null) {
                struct.put(namesAndValues[i], namesAndValues[i + 1]);
            }
        }
        return struct;
    }

    private static StringData text(String value) {
        return StringData.fromString(value);
    }

    private static TimestampData timestamp(String value) {
        return TimestampData.fromLocalDateTime(LocalDateTime.parse(value));
    }
}
