package io.partitionbridge.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.partitionbridge.control.FrameSink;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;

/** What a format of Flink writes arrives as it was written, in frames of bounded size. */
class HostRowsTest {

    private static final int CHUNK = 1 << 13;

    private final Frames frames = new Frames();
    private final OpenFile first = new OpenFile(0, "d=1/", "key-0", 0);
    private final OpenFile second = new OpenFile(1, "d=2/", "key-1", 0);

    /** A format may hold everything back until finish, flush at will and ask for its position. */
    @Test
    void aFileIsWhatTheFormatWroteUpToItsFinish() throws IOException {
        HostRows rows = new HostRows(frames, HostFormat.bulk(Footer::new), CHUNK, 1 << 20);
        rows.write(row(3), first);
        rows.write(row(5), first);
        assertThat(frames.content(0)).as("no frame before one is full").isEmpty();
        assertThat(first.getSize()).as("the size is exact").isEqualTo(8);

        rows.finish(first);
        assertThat(frames.content(0)).isEqualTo("xxx" + "xxxxx" + "end at 8");
        assertThat(frames.rows(0)).isEqualTo(2);
    }

    /** What the writer compresses has no size yet that a rolling policy could go by. */
    @Test
    void theSizeOfACompressedFileIsTheWritersToTell() throws IOException {
        HostFormat format = HostFormat.rows(HostRowsTest::encode).compressed("gzip");
        HostRows rows = new HostRows(frames, format, CHUNK, 1 << 20);
        rows.write(row(5), first);
        assertThat(first.getSize()).isZero();
        assertThat(first.tail().atMost(1 << 20)).isEqualTo(5);

        first.encoded(3);
        assertThat(first.getSize()).isEqualTo(3);
    }

    /** However large a row is, no frame is larger than a chunk, and the order stays. */
    @Test
    void largeRowsAreSentInChunks() throws IOException {
        HostRows rows = new HostRows(frames, HostFormat.bulk(Footer::new), CHUNK, 1 << 20);
        rows.write(row(3 * CHUNK + 1), first);
        rows.finish(first);

        assertThat(frames.sizes).hasSize(4).allMatch(size -> size <= CHUNK);
        assertThat(frames.content(0)).isEqualTo("x".repeat(3 * CHUNK + 1) + "end at 24577");
    }

    /** Many files together hold no more than they may: what waits is sent early (I8). */
    @Test
    void whatWaitsIsBoundedOverAllFiles() throws IOException {
        HostRows rows = new HostRows(frames, HostFormat.rows(HostRowsTest::encode), CHUNK, 100);
        rows.write(row(60), first);
        rows.write(row(60), second);

        assertThat(frames.content(0)).hasSize(60);
        assertThat(frames.content(1)).hasSize(60);
    }

    /** A row format's file goes on after a barrier; what was written before it has been sent. */
    @Test
    void aBarrierSendsWhatWasWrittenAndTheFileGoesOn() throws IOException {
        HostRows rows = new HostRows(frames, HostFormat.rows(HostRowsTest::encode), CHUNK, 1000);
        rows.write(row(2), first);
        rows.flush();
        assertThat(frames.content(0)).isEqualTo("xx");

        rows.write(row(1), first);
        rows.finish(first);
        assertThat(frames.content(0)).isEqualTo("xxx");
        assertThat(frames.rows(0)).isEqualTo(2);
    }

    /** Closing sends nothing, and a format that writes later, as finalizers do, is refused (I2). */
    @Test
    void closingSendsNothing() throws IOException {
        List<Footer> writers = new ArrayList<>();
        BulkWriter.Factory<RowData> factory =
                out -> {
                    writers.add(new Footer(out));
                    return writers.get(0);
                };
        HostRows rows = new HostRows(frames, HostFormat.bulk(factory), CHUNK, 1000);
        rows.write(row(2), first);
        rows.close();

        assertThat(frames.sizes).isEmpty();
        assertThatThrownBy(() -> writers.get(0).finish()).hasMessageContaining("is closed");
    }

    private static RowData row(int length) {
        return GenericRowData.of(length);
    }

    private static void encode(RowData row, java.io.OutputStream out) throws IOException {
        out.write("x".repeat(row.getInt(0)).getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    /** Writes byte by byte where it can, and ends a file with its position. */
    private record Footer(FSDataOutputStream out) implements BulkWriter<RowData> {

        @Override
        public void addElement(RowData row) throws IOException {
            encode(row, out);
        }

        @Override
        public void flush() throws IOException {
            out.flush();
            out.sync();
        }

        @Override
        public void finish() throws IOException {
            for (byte b : ("end at " + out.getPos()).getBytes(StandardCharsets.US_ASCII)) {
                out.write(b);
            }
        }
    }

    /** Collects the bytes of each file. */
    private static final class Frames implements FrameSink {

        final List<Integer> sizes = new ArrayList<>();
        private final Map<Integer, ByteArrayOutputStream> bytes = new HashMap<>();
        private final Map<Integer, Integer> rows = new HashMap<>();

        String content(int file) {
            return bytes.getOrDefault(file, new ByteArrayOutputStream())
                    .toString(StandardCharsets.US_ASCII);
        }

        int rows(int file) {
            return rows.get(file);
        }

        @Override
        public void send(ByteBuffer frame) {
            throw new AssertionError("nothing but bytes");
        }

        @Override
        public void sendBatch(int file, int rows, long length, List<ByteBuffer> message) {
            throw new AssertionError("nothing but bytes");
        }

        @Override
        public void sendBytes(int file, int rowCount, ByteBuffer content) {
            sizes.add(content.remaining());
            byte[] copy = new byte[content.remaining()];
            content.get(copy);
            bytes.computeIfAbsent(file, any -> new ByteArrayOutputStream()).writeBytes(copy);
            rows.merge(file, rowCount, Integer::sum);
        }
    }
}
