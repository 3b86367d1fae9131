package io.partitionbridge.formats;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.format.EncodingFormat;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableFactory;
import org.apache.flink.table.factories.SerializationFormatFactory;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.RowKind;

/** A row format of a third party: a line for each change, with its kind in front. */
public final class LinesFormatFactory implements SerializationFormatFactory {

    private static final ConfigOption<String> MARK =
            ConfigOptions.key("mark").stringType().noDefaultValue();

    @Override
    public String factoryIdentifier() {
        return "their-lines";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(MARK);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }

    @Override
    public EncodingFormat<SerializationSchema<RowData>> createEncodingFormat(
            DynamicTableFactory.Context context, ReadableConfig options) {
        return new Lines(options.get(MARK));
    }

    private record Lines(String mark) implements EncodingFormat<SerializationSchema<RowData>> {

        @Override
        public SerializationSchema<RowData> createRuntimeEncoder(DynamicTableSink.Context context, DataType rows) {
            DynamicTableSink.DataStructureConverter converter = context.createDataStructureConverter(rows);
            String start = mark;
            return row -> line(start, row.getRowKind(), converter.toExternal(row));
        }

        @Override
        public ChangelogMode getChangelogMode() {
            return ChangelogMode.all();
        }
    }

    private static byte[] line(String mark, RowKind kind, Object row) {
        return (mark + kind.shortString() + row).getBytes(StandardCharsets.UTF_8);
    }
}
