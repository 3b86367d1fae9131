package io.partitionbridge.table;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;

/** Which columns a table can be partitioned by. */
final class PartitionColumns {

    // Flink names their partitions by the identity of the object that holds a row's value.
    private static final Set<LogicalTypeRoot> WITHOUT_NAME =
            EnumSet.of(
                    LogicalTypeRoot.BINARY,
                    LogicalTypeRoot.VARBINARY,
                    LogicalTypeRoot.ARRAY,
                    LogicalTypeRoot.MULTISET,
                    LogicalTypeRoot.MAP,
                    LogicalTypeRoot.ROW,
                    LogicalTypeRoot.STRUCTURED_TYPE,
                    LogicalTypeRoot.RAW);

    private PartitionColumns() {}

    /**
     * @param fixed columns whose value the statement's PARTITION clause has as text
     * @throws ValidationException for a column whose values would be lost: they are in no file, and
     *     the name of the folder wouldn't tell them
     */
    static void validate(TableDefinition table, Collection<String> fixed) {
        RowType row = (RowType) table.physicalRowDataType().getLogicalType();
        for (String key : table.partitionKeys()) {
            LogicalType type = row.getTypeAt(row.getFieldIndex(key));
            if (WITHOUT_NAME.contains(type.getTypeRoot()) && !fixed.contains(key)) {
                throw new ValidationException(
                        String.format(
                                "The partition column '%s' of %s is of type %s, whose values have no text to"
                                        + " name a partition by, and would be lost. Partition by a text of it,"
                                        + " such as TO_BASE64, or leave it among the other columns.",
                                key, table.identifier().asSummaryString(), type.asSummaryString()));
            }
        }
    }
}
