package io.partitionbridge.writer.arrow;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/**
 * From SQL types to columns, for exactly the types that Flink's Parquet writer takes.
 *
 * <p>Names and nullability of nested fields are those of Flink's ParquetSchemaConverter, so that
 * the files have its schema.
 */
final class ColumnFactory {

    private final BufferAllocator allocator;
    private final TimestampEncoding timestamps;
    private final Footprint footprint;
    private final JvmZone zone = new JvmZone();

    ColumnFactory(BufferAllocator allocator, TimestampEncoding timestamps, Footprint footprint) {
        this.allocator = allocator;
        this.timestamps = timestamps;
        this.footprint = footprint;
    }

    /**
     * @throws ValidationException where Flink's Parquet writer doesn't take the type either
     */
    Column column(String fieldName, LogicalType type) {
        return column(ColumnName.of(fieldName), fieldName, type);
    }

    private Column column(ColumnName name, String fieldName, LogicalType type) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN ->
                    new BooleanColumn(
                            name, field(fieldName, type, new ArrowType.Bool()), allocator);
            case TINYINT ->
                    new FixedWidthColumn.OfByte(name, integer(fieldName, type, 8), allocator);
            case SMALLINT ->
                    new FixedWidthColumn.OfShort(name, integer(fieldName, type, 16), allocator);
            case INTEGER ->
                    new FixedWidthColumn.OfInt(name, integer(fieldName, type, 32), allocator);
            case BIGINT ->
                    new FixedWidthColumn.OfLong(name, integer(fieldName, type, 64), allocator);
            case FLOAT ->
                    new FixedWidthColumn.OfFloat(
                            name,
                            floating(fieldName, type, FloatingPointPrecision.SINGLE),
                            allocator);
            case DOUBLE ->
                    new FixedWidthColumn.OfDouble(
                            name,
                            floating(fieldName, type, FloatingPointPrecision.DOUBLE),
                            allocator);
            case DATE ->
                    new FixedWidthColumn.OfInt(
                            name,
                            field(fieldName, type, new ArrowType.Date(DateUnit.DAY)),
                            allocator);
            case TIME_WITHOUT_TIME_ZONE ->
                    new FixedWidthColumn.OfInt(
                            name,
                            field(fieldName, type, new ArrowType.Time(TimeUnit.MILLISECOND, 32)),
                            allocator);
            case CHAR, VARCHAR ->
                    new VariableWidthColumn.OfText(
                            name,
                            field(fieldName, type, new ArrowType.Utf8()),
                            allocator,
                            footprint);
            case BINARY, VARBINARY ->
                    new VariableWidthColumn.OfBinary(
                            name,
                            field(fieldName, type, new ArrowType.Binary()),
                            allocator,
                            footprint);
            case DECIMAL -> decimal(name, fieldName, (DecimalType) type);
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    timestamp(name, fieldName, type);
            case ARRAY -> array(name, fieldName, (ArrayType) type);
            case MAP -> {
                MapType map = (MapType) type;
                yield map(name, fieldName, type, map.getKeyType(), map.getValueType());
            }
            case MULTISET -> {
                LogicalType element = ((MultisetType) type).getElementType();
                yield map(name, fieldName, type, element, new IntType(false));
            }
            case ROW -> row(name, fieldName, (RowType) type);
            default -> throw unsupported(name, type);
        };
    }

    private Column decimal(ColumnName name, String fieldName, DecimalType type) {
        ArrowType arrow = new ArrowType.Decimal(type.getPrecision(), type.getScale(), 128);
        return new DecimalColumn(name, field(fieldName, type, arrow), type, allocator);
    }

    private Column timestamp(ColumnName name, String fieldName, LogicalType type) {
        int precision = LogicalTypeChecks.getPrecision(type);
        // Without a zone, also for TIMESTAMP_LTZ: Flink writes isAdjustedToUTC=false for both.
        ArrowType arrow =
                new ArrowType.Timestamp(TimestampColumn.unit(timestamps, precision), null);
        return new TimestampColumn(
                name, field(fieldName, type, arrow), precision, timestamps, zone, allocator);
    }

    private Column array(ColumnName name, String fieldName, ArrayType type) {
        Column element = column(name.part("element"), "element", type.getElementType());
        Field field = field(fieldName, type, new ArrowType.List(), element.field());
        return new ArrayColumn(name, field, element, allocator, footprint);
    }

    private Column map(
            ColumnName name,
            String fieldName,
            LogicalType type,
            LogicalType keyType,
            LogicalType valueType) {
        // Parquet has no null keys, so Flink too declares every key as required.
        Column key = column(name.part("key"), "key", keyType.copy(false));
        Column value = column(name.part("value"), "value", valueType);
        Field entries =
                new Field(
                        "key_value",
                        FieldType.notNullable(new ArrowType.Struct()),
                        List.of(key.field(), value.field()));
        Field field = field(fieldName, type, new ArrowType.Map(false), entries);
        return new MapColumn(name, field, key, value, allocator, footprint);
    }

    private Column row(ColumnName name, String fieldName, RowType type) {
        if (type.getFieldCount() == 0) {
            throw unsupported(name, type);
        }
        List<Column> columns = new ArrayList<>();
        for (RowType.RowField field : type.getFields()) {
            columns.add(column(name.field(field.getName()), field.getName(), field.getType()));
        }
        Field[] children = columns.stream().map(Column::field).toArray(Field[]::new);
        Field field = field(fieldName, type, new ArrowType.Struct(), children);
        return new RowColumn(name, field, columns, allocator);
    }

    private static Field integer(String fieldName, LogicalType type, int bits) {
        return field(fieldName, type, new ArrowType.Int(bits, true));
    }

    private static Field floating(
            String fieldName, LogicalType type, FloatingPointPrecision precision) {
        return field(fieldName, type, new ArrowType.FloatingPoint(precision));
    }

    private static Field field(
            String fieldName, LogicalType type, ArrowType arrow, Field... children) {
        return new Field(
                fieldName, new FieldType(type.isNullable(), arrow, null), List.of(children));
    }

    private static ValidationException unsupported(ColumnName name, LogicalType type) {
        return new ValidationException(
                "Column "
                        + name
                        + " has type "
                        + type.asSummaryString()
                        + ", which can't be written to Parquet. Cast it to another type, or take"
                        + " the column out of the table.");
    }
}
