package io.partitionbridge.writer.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
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
                    .containsExactly(Arrays.asList(1L, "a", 7), Arrays.asList(2L, null, 7));
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

    /** The batch is full by rows, or by bytes, of which text counts. */
    @Test
    void theBatchIsFullByRowsOrByBytes() {
        try (ArrowBatchBuilder byRows = builder(2, 1 << 20);
                ArrowBatchBuilder byBytes = builder(1 << 20, 1000)) {
            byRows.append(row(1L, "mon", "a"), 0);
            assertThat(byRows.isFull()).as("one row of two").isFalse();
            byRows.append(row(2L, "mon", "b"), 0);
            assertThat(byRows.isFull()).as("two rows of two").isTrue();

            byBytes.append(row(1L, "mon", "a"), 0);
            assertThat(byBytes.isFull()).as("a few bytes of 1000").isFalse();
            byBytes.append(row(2L, "mon", "x".repeat(2000)), 0);
            assertThat(byBytes.isFull()).as("one text is over the target").isTrue();
            assertThat(byBytes.bufferedBytes())
                    .as("8 (id) + 4 (offset) + 4 (file) a row, and the text")
                    .isEqualTo(2 * 16 + 1 + 2000);
        }
    }

    /** A row above the target makes a batch of its own and doesn't keep its memory occupied. */
    @Test
    void aRowLargerThanTheTargetPassesAndItsMemoryIsGivenBack() throws IOException {
        String huge = "ä".repeat(3_000_000);
        try (ArrowBatchBuilder builder = builder(100, 1 << 16)) {
            BatchReader reader = new BatchReader(builder);
            builder.append(row(1L, "mon", huge), 0);
            assertThat(builder.allocatedBytes()).as("held while needed").isGreaterThan(6_000_000);
            builder.drain(reader);
            assertThat(builder.allocatedBytes())
                    .as("an outlier must not pin memory")
                    .isLessThan(1 << 18);
            builder.append(row(2L, "mon", "small"), 0);
            builder.drain(reader);

            assertThat(reader.batches().get(0).rows().get(0).get(1)).isEqualTo(huge);
            assertThat(reader.batches().get(1).rows().get(0).get(1)).isEqualTo("small");
        }
    }

    /** Buffers are reused; no value and no null of one batch shows up in another. */
    @Test
    void manyBatchesReuseTheMemoryWithoutATraceOfTheOneBefore() throws IOException {
        try (ArrowBatchBuilder builder = builder(1000, 1 << 20)) {
            BatchReader reader = new BatchReader(builder);
            List<List<Object>> expected = new ArrayList<>();
            Random random = new Random(17);
            long settled = 0;
            for (int batch = 0; batch < 40; batch++) {
                boolean nulls = batch % 3 != 0;
                for (int i = 0; i < 900 + batch; i++) {
                    Long id = nulls && random.nextInt(4) == 0 ? null : random.nextLong();
                    String text =
                            nulls && random.nextInt(3) == 0 ? null : "é".repeat(random.nextInt(40));
                    builder.append(row(id, "mon", text), batch);
                    expected.add(Arrays.asList(id, text, batch));
                }
                builder.drain(reader);
                assertThat(builder.isEmpty()).as("drained").isTrue();
                assertThat(builder.bufferedBytes()).as("drained").isZero();
                settled = batch == 10 ? builder.allocatedBytes() : settled;
            }
            assertThat(builder.allocatedBytes()).as("memory settles").isEqualTo(settled);
            assertThat(reader.batches().stream().flatMap(b -> b.rows().stream()).toList())
                    .as("each row once, in order")
                    .isEqualTo(expected);
        }
    }

    /** The padding between buffers is zero, so that nothing of an older batch travels along. */
    @Test
    void paddingIsZero() throws IOException {
        try (ArrowBatchBuilder builder = builder(10, 1 << 20)) {
            builder.append(row(1L, "mon", "secret-secret"), 0);
            builder.drain((file, rows, length, buffers) -> {});
            builder.append(row(1L, "mon", "a"), 0);
            builder.drain(
                    (file, rows, length, buffers) -> {
                        ByteBuffer text = buffers.get(3);
                        byte[] bytes = new byte[text.remaining()];
                        text.get(bytes);
                        assertThat(bytes)
                                .as("one letter, padded")
                                .containsExactly('a', 0, 0, 0, 0, 0, 0, 0);
                    });
        }
    }

    /** An empty builder has nothing to send. */
    @Test
    void drainingNothingSendsNothing() throws IOException {
        try (ArrowBatchBuilder builder = builder(10, 1000)) {
            builder.drain((file, rows, length, buffers) -> fail("no rows, no batch"));
            assertThat(builder.soleFile()).as("no file either").isEqualTo(-1);
        }
    }

    /** After a failed send the rows are gone, as the task fails; memory is not. */
    @Test
    void aFailingConsumerLeavesAnEmptyBuilderThatCloses() {
        try (ArrowBatchBuilder builder = builder(10, 1000)) {
            builder.append(row(1L, "mon", "a"), 0);
            assertThatThrownBy(
                            () ->
                                    builder.drain(
                                            (file, rows, length, buffers) -> {
                                                throw new IOException("writer is gone");
                                            }))
                    .as("the cause comes through")
                    .isInstanceOf(IOException.class);
            assertThat(builder.isEmpty()).as("emptied all the same").isTrue();
        }
    }

    /** Rows come as generic, binary and joined rows. */
    @Test
    void everyKindOfRowIsTaken() throws IOException {
        GenericRowData generic = row(1L, "mon", "a");
        BinaryRowData binary = new RowDataSerializer(ROW).toBinaryRow(row(2L, "tue", "b"));
        RowData joined =
                new JoinedRowData(
                        GenericRowData.of(3L),
                        GenericRowData.of(
                                StringData.fromString("wed"), StringData.fromString("c")));
        try (ArrowBatchBuilder builder = builder(10, 1 << 20)) {
            BatchReader reader = new BatchReader(builder);
            for (RowData row : List.of(generic, binary, joined)) {
                builder.append(row, 0);
            }
            builder.drain(reader);
            assertThat(reader.batches().get(0).rows())
                    .containsExactly(List.of(1L, "a", 0), List.of(2L, "b", 0), List.of(3L, "c", 0));
        }
    }

    /** A table of partition columns only has no file content; Flink's Parquet refuses it too. */
    @Test
    void aTableWithoutDataColumnsIsRefused() {
        assertThatThrownBy(
                        () ->
                                ArrowBatchBuilder.create(
                                        ROW,
                                        new int[0],
                                        TimestampEncoding.from(Map.of()),
                                        10,
                                        1000))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("PARTITIONED BY");
    }

    /** Without java.nio opened the message names the option, from a JVM that lacks it. */
    @Test
    void aJvmThatKeepsJavaNioShutIsToldWhichOptionIsMissing() throws Exception {
        Process jvm =
                new ProcessBuilder(
                                System.getProperty("java.home") + "/bin/java",
                                "-cp",
                                System.getProperty("java.class.path"),
                                OpenMemory.class.getName())
                        .redirectErrorStream(true)
                        .start();
        String output = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output)
                .as("the cure, in Flink's terms")
                .contains("ValidationException")
                .contains("--add-opens=java.base/java.nio=ALL-UNNAMED")
                .contains("env.java.opts.all");
    }

    /** Main class of a JVM without options. */
    static final class OpenMemory {
        public static void main(String[] args) {
            builder(10, 1000).close();
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
