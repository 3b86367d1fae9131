package io.partitionbridge.formats;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.connector.file.table.factories.BulkWriterFormatFactory;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.format.EncodingFormat;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableFactory;
import org.apache.flink.table.types.DataType;

/** A bulk format of a third party: lines, and at the end of a file how many. A file without its end is seen to lack it. */
public final class CountedFormatFactory implements BulkWriterFormatFactory {

    @Override
    public String factoryIdentifier() {
        return "their-counted";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }

    @Override
    public EncodingFormat<BulkWriter.Factory<RowData>> createEncodingFormat(
            DynamicTableFactory.Context context, ReadableConfig options) {
        return new Counted();
    }

    private static final class Counted implements EncodingFormat<BulkWriter.Factory<RowData>> {

        @Override
        public BulkWriter.Factory<RowData> createRuntimeEncoder(DynamicTableSink.Context context, DataType rows) {
            DynamicTableSink.DataStructureConverter converter = context.createDataStructureConverter(rows);
            return stream -> new Lines(stream, converter);
        }

        @Override
        public ChangelogMode getChangelogMode() {
            return ChangelogMode.insertOnly();
        }
    }

    private static final class Lines implements BulkWriter<RowData> {

        private final FSDataOutputStream stream;
        private final DynamicTableSink.DataStructureConverter converter;
        private int count;

        Lines(FSDataOutputStream stream, DynamicTableSink.DataStructureConverter converter) {
            this.stream = stream;
            this.converter = converter;
        }

        @Override
        public void addElement(RowData row) throws IOException {
            count++;
            write(String.valueOf(converter.toExternal(row)));
        }

        @Override
        public void flush() throws IOException {
            stream.flush();
        }

        @Override
        public void finish() throws IOException {
            write(count + " rows");
        }

        private void write(String line) throws IOException {
            stream.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }
}
