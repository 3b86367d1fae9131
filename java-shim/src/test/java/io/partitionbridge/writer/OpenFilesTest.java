package io.partitionbridge.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.partitionbridge.control.FrameSink;
import io.partitionbridge.writer.arrow.ArrowBatchBuilder;
import io.partitionbridge.writer.arrow.TimestampEncoding;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.connector.file.table.FileSystemTableSink.TableRollingPolicy;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The order of frames that open files lead to. */
class OpenFilesTest {

    private static final long ROLL_SIZE = 1_000;
    private static final long ROLLOVER = 100;
    private static final long INACTIVITY = 50;
    private static final int BATCH_ROWS = 4;
    private static final long LARGEST_BATCH = 10_000;

    private final Frames frames = new Frames();
    private final FileProgress progress = new FileProgress(millis -> {});
    private final ArrowBatchBuilder builder = builder();
    private final List<ArrowBatchBuilder> own = new ArrayList<>();
    private long now;

    @AfterEach
    void close() {
        builder.close();
        own.forEach(ArrowBatchBuilder::close);
    }

    private static ArrowBatchBuilder builder() {
        return ArrowBatchBuilder.create(
                RowType.of(new BigIntType(), new VarCharType(VarCharType.MAX_LENGTH)),
                new int[] {0, 1},
                TimestampEncoding.from(Map.of()),
                BATCH_ROWS,
                1 << 20);
    }

    /** Rows before a CLOSE are sent before it; a barrier closes everything and names all since. */
    @Test
    void sealingSendsTheRowsThenClosesEveryFile() throws IOException {
        OpenFiles files = files(5 << 20);
        write(files, "d=1/");
        write(files, "d=2/");
        write(files, "d=1/");

        assertThat(files.seal("checkpoint")).extracting(OpenFile::number).containsExactly(0, 1);
        assertThat(frames.seen.subList(0, 3))
                .as("rows of two files share a batch")
                .containsExactly("open 0", "open 1", "batch -1 of 3");
        assertThat(frames.seen.subList(3, 5)).containsExactlyInAnyOrder("close 0", "close 1");
        assertThat(files.seal("checkpoint")).as("nothing since").isEmpty();
    }

    /** A full builder is sent at once, and says when all rows are of one file. */
    @Test
    void aFullBatchOfOneFileNamesIt() throws IOException {
        OpenFiles files = files(5 << 20);
        for (int i = 0; i < BATCH_ROWS; i++) {
            write(files, "d=1/");
        }
        assertThat(frames.seen).containsExactly("open 0", "batch 0 of 4");
    }

    /** Rows that take turns make batches of one file each, which the writer needn't split. */
    @Test
    void theFirstFilesHaveABatchEach() throws IOException {
        own.add(builder());
        own.add(builder());
        OpenFiles files = files(5 << 20);
        for (int i = 0; i < BATCH_ROWS; i++) {
            write(files, "d=1/");
            write(files, "d=2/");
            write(files, "d=3/");
            write(files, "d=4/");
        }
        files.seal("checkpoint");

        assertThat(frames.seen.subList(0, 4))
                .containsExactly("open 0", "open 1", "open 2", "open 3");
        assertThat(frames.seen.subList(4, 8))
                .as("full as they fill, the last two files by halves")
                .containsExactly("batch -1 of 4", "batch 0 of 4", "batch 1 of 4", "batch -1 of 4");
    }

    /**
     * A file that is closed leaves its builder to the next one; those that share one stay there.
     */
    @Test
    void aClosedFilesBuilderIsFreeForTheNext() throws IOException {
        own.add(builder());
        OpenFiles files = files(5 << 20);
        write(files, "d=1/");
        write(files, "d=2/");
        progress.progress(0, ROLL_SIZE + 1);
        write(files, "d=1/");
        write(files, "d=2/");
        write(files, "d=1/");
        files.seal("checkpoint");

        assertThat(frames.seen.subList(0, 7))
                .as("no row of another file is sent when one ends, and rows keep their order")
                .containsExactly(
                        "open 0",
                        "open 1",
                        "batch 0 of 1",
                        "close 0",
                        "open 2",
                        "batch 2 of 2",
                        "batch 1 of 2");
    }

    /** Flink's rolling policy decides by the size that the writer reports. */
    @Test
    void rollsAFileThatHasGrownTooLarge() throws IOException {
        OpenFiles files = files(5 << 20);
        write(files, "d=1/");
        progress.progress(0, ROLL_SIZE + 1);
        write(files, "d=1/");

        assertThat(frames.seen).containsExactly("open 0", "batch 0 of 1", "close 0", "open 1");
        assertThat(files.seal("checkpoint"))
                .as("the barrier names the rolled file too")
                .extracting(OpenFile::number)
                .containsExactly(0, 1);
    }

    /** What the writer has no memory for is closed at the next row, whichever partition has it. */
    @Test
    void closesWhatTheWriterHasNoMemoryForThoughItsPartitionGetsNoMoreRows() throws IOException {
        OpenFiles files = files(5 << 20);
        write(files, "d=1/");
        write(files, "d=2/");
        progress.progress(0, FileProgress.CLOSE);
        write(files, "d=3/");

        assertThat(frames.seen)
                .as("the rows of the file before its end, and no other file with it")
                .containsExactly("open 0", "open 1", "batch -1 of 2", "close 0", "open 2");

        progress.progress(1, FileProgress.CLOSE);
        assertThat(files.seal("checkpoint"))
                .as("the barrier names each file once")
                .extracting(OpenFile::number)
                .containsExactlyInAnyOrder(0, 1, 2);
        frames.seen.clear();
        write(files, "d=2/");
        assertThat(frames.seen).as("closed by the barrier already").containsExactly("open 3");
    }

    /** A file ends long before its upload would need part 10,000. */
    @Test
    void rollsBeforeThePartLimit() throws IOException {
        long partSize = 3;
        OpenFiles files = files(partSize, Long.MAX_VALUE);
        write(files, "d=1/");
        progress.progress(0, 9_000 * partSize);
        write(files, "d=1/");

        assertThat(frames.seen).contains("close 0", "open 1");
    }

    /** A row that the writer would never grant credit for fails, instead of waiting for ever. */
    @Test
    void refusesABatchThatWouldWaitForEver() throws IOException {
        OpenFiles files = files(5 << 20);
        files.write(GenericRowData.of(1L, StringData.fromString("x".repeat(20_000))), "d=1/");

        assertThatThrownBy(() -> files.seal("checkpoint"))
                .hasMessageContaining("sink.writer.memory");
    }

    /** Age and idleness close a file by time, as Flink's policy has it. */
    @Test
    void rollsByTime() throws IOException {
        OpenFiles files = files(5 << 20);
        write(files, "d=old/");
        now = 60;
        write(files, "d=new/");
        files.rollByTime(now);

        assertThat(frames.seen)
                .as("idle for 60 ms, and the rows of both were in the builder")
                .containsExactly("open 0", "open 1", "batch -1 of 2", "close 0");
        assertThat(progress.openFiles()).isEqualTo(1);
    }

    /** Files that span checkpoints: only those that are due end, and they are named once closed. */
    @Test
    void aBarrierLeavesOpenWhatIsNotDue() throws IOException {
        OpenFiles files = files(5 << 20);
        SealRule rule =
                new SealRule(
                        new TableRollingPolicy(false, ROLL_SIZE, ROLLOVER, INACTIVITY),
                        null,
                        5 << 20,
                        Long.MAX_VALUE);
        write(files, "d=1/");
        write(files, "d=2/");
        progress.progress(0, ROLL_SIZE + 1);

        assertThat(files.seal(rule, 0)).extracting(OpenFile::number).containsExactly(0);
        assertThat(files.open()).extracting(OpenFile::number).containsExactly(1);
        assertThat(frames.seen)
                .as("what was written before the barrier is sent before it")
                .containsExactly("open 0", "open 1", "batch -1 of 2", "close 0");

        write(files, "d=2/");
        assertThat(files.hasUnsealed()).isTrue();
        assertThat(files.seal("end of input")).extracting(OpenFile::number).containsExactly(1);
        assertThat(files.hasUnsealed()).isFalse();
    }

    private OpenFiles files(long partSize) {
        return files(partSize, ROLL_SIZE);
    }

    private OpenFiles files(long partSize, long rollSize) {
        return new OpenFiles(
                frames,
                new ArrowRows(frames, builder, own, LARGEST_BATCH),
                new TableRollingPolicy(true, rollSize, ROLLOVER, INACTIVITY),
                PartFileNames.ofAttempt("part", "", 0, new SecureRandom()),
                new TableLocation("s3", "lake", "t"),
                partSize,
                () -> now,
                progress);
    }

    private static void write(OpenFiles files, String partition) throws IOException {
        files.write(GenericRowData.of(1L, null), partition);
    }

    /** Writes down type and file of each frame. */
    private static final class Frames implements FrameSink {

        final List<String> seen = new ArrayList<>();

        @Override
        public void send(ByteBuffer frame) {
            String name = frame.get(0) == 2 ? "open " : "close ";
            seen.add(name + frame.getInt(8));
        }

        @Override
        public void sendBatch(int file, int rows, long length, List<ByteBuffer> message) {
            seen.add("batch " + file + " of " + rows);
        }

        @Override
        public void sendBytes(int file, int rows, ByteBuffer bytes) {
            throw new AssertionError("these rows go as batches");
        }
    }
}
