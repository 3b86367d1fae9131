package io.partitionbridge.writer.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.util.Text;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;

/** What the writer operator relies on: batches, their bounds, their files. */
class ArrowBatchBuilderTest {

    private static final RowType ROW =
            RowType.of(
                    new LogicalType[] {
                        new BigIntType(), new VarCharType(10), VarCharType.STRING_TYPE
                    },
                    new String[] {"id", "day", "text"});

    /** Partition columns stay out of the file and the file number comes last. */
    @Test
    void onlyTheDataColumnsGoIntoTheBatchAndTheFileNumberComesLast() throws IOException {
        try (ArrowBatchBuilder builder = builder(100, 1 << 20)) {
            BatchReader reader = new BatchReader(builder);
            builder.append(row(1L, "mon", "a"), 7);
            builder.append(row(2L, "mon", null), 7);
            assertThat(builder.soleFile()).as("all rows are of file 7").isEqualTo(7);
            builder.drain(reader);

            assertThat(reader.schema().getFields())
                    .as("day is a partition column")
                    .extracting(f -> f.getName())
                    .containsExactly("id", "text", "__file");
            BatchReader.Batch batch = reader.batches().get(0);
            assertThat(batch.rows())
                    .as("values in DDL order")
                    .containsExactly(
                            Arrays.asList(1L, new Text("a"), 7), Arrays.asList(2L, null, 7));
            assertThat(batch.announced())
                    .as("a frame's header needs the length before the bytes")
                    .isEqualTo(batch.sent());
            assertThat(batch.announced() % 8).as("Arrow messages are aligned").isZero();
            assertThat(batch.soleFile()).isEqualTo(7);
            assertThat(batch.rowCount()).isEqualTo(2);
        }
    }

    /** Rows of several files share a batch, and are told apart by the last column. */
    @Test
    void rowsOfSeveralFilesShareABatch() throws IOException {
        try (ArrowBatchBuilder builder = builder(100, 1 << 20)) {
            BatchReader reader = new BatchReader(builder);
            builder.append(row(1L, "mon", "a"), 3);
            builder.append(row(2L, "tue", "b"), 4);
            builder.append(row(3L, "mon", "c"), 3);
            assertThat(builder.soleFile()).as("two files").isEqualTo(-1);
            builder.drain(reader);
            builder.append(row(4L, "tue", "d"), 4);
            builder.drain(reader);

            List<BatchReader.Batch> batches = reader.batches();
            assertThat(batches.get(0).soleFile()).as("mixed").isEqualTo(-1);
            assertThat(batches.get(0).rows()).extracting(r -> r.get(2)).containsExactly(3, 4, 3);
            assertThat(batches.get(1).soleFile()).as("the next batch starts anew").isEqualTo(4);
        }
    }

    private static ArrowBatchBuilder builder(int maxRows, long targetBytes) {
        return ArrowBatchBuilder.create(
                ROW, new int[] {0, 2}, TimestampEncoding.from(Map.of()), maxRows, targetBytes);
    }

    private static GenericRowData row(Long id, String day, String text) {
        return GenericRowData.of(id, StringData.fromString(day), StringData.fromString(text));
    }
}
