package io.partitionbridge.writer.arrow;

import static io.partitionbridge.writer.arrow.RoundTrip.builder;
import static io.partitionbridge.writer.arrow.RoundTrip.roundTrip;
import static io.partitionbridge.writer.arrow.RoundTrip.struct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.flink.table.api.TableRuntimeException;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.DayTimeIntervalType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.NullType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.table.types.logical.ZonedTimestampType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Arrays, maps, multisets and rows in each other, their schema, and what is refused. */
class ArrowNestedColumnTest {

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

    private static StringData text(String value) {
        return StringData.fromString(value);
    }
}
