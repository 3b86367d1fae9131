package io.partitionbridge.writer;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.flink.connector.file.table.RowDataPartitionComputer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryStringData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.utils.TypeConversions;
import org.apache.flink.table.utils.PartitionPathUtils;

/**
 * The partition path of a row, as Flink's own classes compute it.
 *
 * <p>The paths of the last partitions are kept by the values of their columns, so that the usual
 * row costs a comparison. Only types whose text follows from their value are looked up: Flink names
 * a partition on BYTES or ARRAY by the object's identity, and that must not become another name.
 */
final class PartitionRouter {

    private static final int KEPT = 256;

    /** Compared one by one, which for so few is faster than to hash the values of each row. */
    private static final int RECENT = 4;

    private static final Set<LogicalTypeRoot> NAMED_BY_VALUE =
            EnumSet.of(
                    LogicalTypeRoot.CHAR,
                    LogicalTypeRoot.VARCHAR,
                    LogicalTypeRoot.BOOLEAN,
                    LogicalTypeRoot.DECIMAL,
                    LogicalTypeRoot.TINYINT,
                    LogicalTypeRoot.SMALLINT,
                    LogicalTypeRoot.INTEGER,
                    LogicalTypeRoot.BIGINT,
                    LogicalTypeRoot.FLOAT,
                    LogicalTypeRoot.DOUBLE,
                    LogicalTypeRoot.DATE,
                    LogicalTypeRoot.TIME_WITHOUT_TIME_ZONE,
                    LogicalTypeRoot.TIMESTAMP_WITHOUT_TIME_ZONE,
                    LogicalTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE);

    private final RowDataPartitionComputer computer;
    private final RowData.FieldGetter[] getters;
    private final boolean cacheable;
    private final Map<List<Object>, Known> kept =
            new LinkedHashMap<>(KEPT, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<List<Object>, Known> eldest) {
                    return size() > KEPT;
                }
            };

    private final Known[] recent = new Known[RECENT];
    private final Object[] values;
    private int oldest;

    /** A partition that rows have gone to; the values are its own and never change. */
    private record Known(List<Object> values, String path) {

        boolean is(Object[] others) {
            for (int i = 0; i < others.length; i++) {
                if (!Objects.equals(values.get(i), others[i])) {
                    return false;
                }
            }
            return true;
        }
    }

    PartitionRouter(RowType rowType, List<String> partitionKeys, String defaultPartitionName) {
        this.computer =
                new RowDataPartitionComputer(
                        defaultPartitionName,
                        rowType.getFieldNames().toArray(new String[0]),
                        rowType.getChildren().stream()
                                .map(TypeConversions::fromLogicalToDataType)
                                .toArray(DataType[]::new),
                        partitionKeys.toArray(new String[0]));
        this.getters = new RowData.FieldGetter[partitionKeys.size()];
        this.values = new Object[getters.length];
        boolean byValue = true;
        for (int i = 0; i < getters.length; i++) {
            int index = rowType.getFieldIndex(partitionKeys.get(i));
            LogicalType type = rowType.getTypeAt(index);
            getters[i] = RowData.createFieldGetter(type, index);
            byValue &= NAMED_BY_VALUE.contains(type.getTypeRoot());
        }
        this.cacheable = byValue;
    }

    /** The path with a slash at its end; "" without partition columns. */
    String partitionOf(RowData row) {
        if (getters.length == 0) {
            return "";
        }
        if (!cacheable) {
            return compute(row);
        }
        for (int i = 0; i < values.length; i++) {
            values[i] = getters[i].getFieldOrNull(row);
        }
        for (Known each : recent) {
            if (each != null && each.is(values)) {
                return each.path;
            }
        }
        Known known = kept.get(Arrays.asList(values));
        if (known == null) {
            known = new Known(owned(), compute(row));
            kept.put(known.values, known);
        }
        recent[oldest] = known;
        oldest = (oldest + 1) % RECENT;
        return known.path;
    }

    private String compute(RowData row) {
        LinkedHashMap<String, String> values = computer.generatePartValues(row);
        values.replaceAll((column, value) -> encodable(value));
        return PartitionPathUtils.generatePartitionPath(values);
    }

    // Half of a surrogate pair, which a JSON source may hand on, has no UTF-8: as in every exchange
    // between tasks it becomes a question mark, or the names here and at the writer would differ.
    private static String encodable(String value) {
        return new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    /** The values may point into a row that is reused, so they are copied before they are kept. */
    private List<Object> owned() {
        Object[] copies = values.clone();
        for (int i = 0; i < copies.length; i++) {
            if (copies[i] instanceof BinaryStringData text) {
                copies[i] = text.copy();
            }
        }
        return Arrays.asList(copies);
    }
}
