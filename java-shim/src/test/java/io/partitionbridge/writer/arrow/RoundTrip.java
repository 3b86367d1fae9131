package io.partitionbridge.writer.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/** A column of one type, through the builder and back by Arrow. */
final class RoundTrip {

    private static final TimestampEncoding UTC =
            TimestampEncoding.from(Map.of("parquet.utc-timezone", "true"));

    private RoundTrip() {}

    /** Reads the values back as a column, given as generic and as binary rows. */
    static List<Object> roundTrip(LogicalType type, List<?> values) throws IOException {
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

    static ArrowBatchBuilder builder(RowType type) {
        int[] all = IntStream.range(0, type.getFieldCount()).toArray();
        return ArrowBatchBuilder.create(type, all, UTC, 1 << 20, 1 << 20);
    }

    /** A row as {@link BatchReader} shows it: nulls are left out. */
    static Map<Object, Object> struct(Object... namesAndValues) {
        Map<Object, Object> struct = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            if (namesAndValues[i + 1] != null) {
                struct.put(namesAndValues[i], namesAndValues[i + 1]);
            }
        }
        return struct;
    }
}
