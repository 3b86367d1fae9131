package io.partitionbridge.table;

import io.partitionbridge.writer.HostFormat;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.connector.file.table.FileSystemTableSink.ProjectionBulkFactory;
import org.apache.flink.connector.file.table.RowDataPartitionComputer;
import org.apache.flink.connector.file.table.SerializationSchemaAdapter;
import org.apache.flink.connector.file.table.factories.BulkWriterFormatFactory;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.connector.format.EncodingFormat;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableFactory;
import org.apache.flink.table.factories.EncodingFormatFactory;
import org.apache.flink.table.factories.Factory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.factories.SerializationFormatFactory;
import org.apache.flink.table.types.DataType;

/**
 * Flink's own format of a table, found and used as FileSystemTableSink does.
 *
 * @param bulk null where the format has none
 * @param serialization null where the format has none; bulk goes first
 */
record TableFormat(
        EncodingFormat<BulkWriter.Factory<RowData>> bulk,
        EncodingFormat<SerializationSchema<RowData>> serialization) {

    /** By the rule of FileSystemTableFactory, whose method is private. */
    static TableFormat discover(DynamicTableFactory factory, DynamicTableFactory.Context context) {
        FactoryUtil.TableFactoryHelper helper =
                FactoryUtil.createTableFactoryHelper(factory, context);
        return new TableFormat(
                find(BulkWriterFormatFactory.class, helper, context),
                find(SerializationFormatFactory.class, helper, context));
    }

    private static <T, F extends EncodingFormatFactory<T>> EncodingFormat<T> find(
            Class<F> kind,
            FactoryUtil.TableFactoryHelper helper,
            DynamicTableFactory.Context context) {
        String identifier = helper.getOptions().get(FactoryUtil.FORMAT);
        boolean exists =
                ServiceLoader.load(Factory.class, context.getClassLoader()).stream()
                        .filter(provider -> kind.isAssignableFrom(provider.type()))
                        .anyMatch(
                                provider -> provider.get().factoryIdentifier().equals(identifier));
        return exists ? helper.discoverEncodingFormat(kind, FactoryUtil.FORMAT) : null;
    }

    /** What encodes the table's files in the task. */
    HostFormat hostFormat(TableDefinition table, DynamicTableSink.Context context) {
        DataType columns =
                DataType.getFields(table.physicalRowDataType()).stream()
                        .filter(field -> !table.partitionKeys().contains(field.getName()))
                        .collect(Collectors.collectingAndThen(Collectors.toList(), DataTypes::ROW));
        RowDataPartitionComputer computer = computer(table);
        if (bulk != null) {
            return HostFormat.bulk(
                    new ProjectionBulkFactory(
                            bulk.createRuntimeEncoder(context, columns), computer));
        }
        SerializationSchemaAdapter encoder =
                new SerializationSchemaAdapter(
                        serialization.createRuntimeEncoder(context, columns));
        return HostFormat.rows(
                (row, out) -> encoder.encode(computer.projectColumnsToWrite(row), out));
    }

    private static RowDataPartitionComputer computer(TableDefinition table) {
        DataType row = table.physicalRowDataType();
        return new RowDataPartitionComputer(
                "",
                DataType.getFieldNames(row).toArray(new String[0]),
                DataType.getFieldDataTypes(row).toArray(new DataType[0]),
                table.partitionKeys().toArray(new String[0]));
    }
}
