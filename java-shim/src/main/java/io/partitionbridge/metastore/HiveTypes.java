package io.partitionbridge.metastore;

import java.util.stream.Collectors;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.CharType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;

/** Flink's types in the words of Hive and Glue, by the rules of Flink's own Hive connector. */
public final class HiveTypes {

    private static final int LONGEST_CHAR = 255;
    private static final int LONGEST_VARCHAR = 65535;

    private HiveTypes() {}

    /** Null where Hive has no such type. */
    public static String of(LogicalType type) {
        return switch (type.getTypeRoot()) {
            case BOOLEAN -> "boolean";
            case TINYINT -> "tinyint";
            case SMALLINT -> "smallint";
            case INTEGER -> "int";
            case BIGINT -> "bigint";
            case FLOAT -> "float";
            case DOUBLE -> "double";
            case DATE -> "date";
            case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> "timestamp";
            case BINARY, VARBINARY -> "binary";
            case CHAR -> text("char", ((CharType) type).getLength(), LONGEST_CHAR);
            case VARCHAR -> text("varchar", ((VarCharType) type).getLength(), LONGEST_VARCHAR);
            case DECIMAL -> {
                DecimalType decimal = (DecimalType) type;
                yield "decimal(" + decimal.getPrecision() + "," + decimal.getScale() + ")";
            }
            case ARRAY -> within("array<", of(((ArrayType) type).getElementType()), ">");
            case MAP ->
                    pair(of(((MapType) type).getKeyType()), of(((MapType) type).getValueType()));
            case MULTISET -> pair(of(((MultisetType) type).getElementType()), "int");
            case ROW -> struct((RowType) type);
            default -> null;
        };
    }

    private static String text(String word, int length, int longest) {
        return length > longest ? "string" : word + "(" + length + ")";
    }

    private static String within(String start, String inner, String end) {
        return inner == null ? null : start + inner + end;
    }

    private static String pair(String key, String value) {
        return key == null ? null : within("map<" + key + ",", value, ">");
    }

    private static String struct(RowType type) {
        if (type.getFields().stream().anyMatch(field -> of(field.getType()) == null)) {
            return null;
        }
        return type.getFields().stream()
                .map(field -> field.getName() + ":" + of(field.getType()))
                .collect(Collectors.joining(",", "struct<", ">"));
    }
}
