package io.partitionbridge.datastream;

import static org.apache.flink.table.api.Expressions.$;

import java.util.List;
import org.apache.flink.connector.file.table.FileSystemConnectorOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableDescriptor;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.bridge.java.StreamStatementSet;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.expressions.Expression;
import org.apache.flink.types.Row;

/**
 * The end of a DataStream program in a partitioned table of files.
 *
 * <p>What Flink's Table API does in several steps, with two of them that are easily forgotten: the
 * table gets a name, by which its state is found again ({@code TableDescriptor} alone is numbered
 * anew in each program), and with {@code sink.partition-commit.trigger} = {@code partition-time}
 * the stream's watermarks go along to the sink, which Flink leaves behind otherwise.
 */
public final class PartitionedFiles {

    // No column of a user's is called this.
    private static final String EVENT_TIME = "__partition_bridge_event_time";

    private PartitionedFiles() {}

    /**
     * Adds the table's sink to the stream's program, whose {@code execute()} starts it. Rows are
     * matched to the table by the names of their fields.
     *
     * @param table name of the table, part of the uids of the sink's operators: a savepoint fits
     *     programs with the same name
     * @param descriptor with connector, options, partition keys and a schema
     * @throws ValidationException for a descriptor without columns, and as Flink does for a table
     *     that exists, for missing fields and wrong options
     */
    public static void sinkTo(
            StreamTableEnvironment tables,
            DataStream<Row> rows,
            String table,
            TableDescriptor descriptor) {
        List<String> columns =
                descriptor.getSchema().map(Schema::getColumns).orElse(List.of()).stream()
                        .map(Schema.UnresolvedColumn::getName)
                        .toList();
        if (columns.isEmpty()) {
            throw new ValidationException(
                    "The descriptor of '"
                            + table
                            + "' has no columns: rows are matched to them by name. Give it a schema.");
        }
        tables.createTemporaryTable(table, descriptor);
        Table found =
                isByEventTime(descriptor)
                        ? tables.fromDataStream(
                                rows,
                                Schema.newBuilder()
                                        .columnByMetadata(
                                                EVENT_TIME, DataTypes.TIMESTAMP_LTZ(3), "rowtime")
                                        .watermark(EVENT_TIME, "SOURCE_WATERMARK()")
                                        .build())
                        : tables.fromDataStream(rows);
        StreamStatementSet inserts = tables.createStatementSet();
        inserts.add(
                found.select(columns.stream().map(name -> $(name)).toArray(Expression[]::new))
                        .insertInto(table));
        inserts.attachAsDataStream();
    }

    private static boolean isByEventTime(TableDescriptor descriptor) {
        String trigger =
                descriptor
                        .getOptions()
                        .get(FileSystemConnectorOptions.SINK_PARTITION_COMMIT_TRIGGER.key());
        return "partition-time".equalsIgnoreCase(trigger);
    }
}
