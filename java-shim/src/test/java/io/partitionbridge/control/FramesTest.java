package io.partitionbridge.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of docs/protocol.md, "Frames", written out by hand. */
class FramesTest {

    /** Every frame to the writer has exactly the bytes that the protocol says. */
    @Test
    void framesHaveTheProtocolsBytes() {
        assertThat(hex(Frames.schema(new byte[] {1, 2})))
                .isEqualTo("01000000" + "00000002" + "0102");
        assertThat(hex(Frames.open(7, 258, "d=1/", "k", "t")))
                .isEqualTo(
                        "02000000"
                                + "0000001e"
                                + "00000007"
                                + "0000000000000102"
                                + "00000004643d312f"
                                + "000000016b"
                                + "0000000174");
        assertThat(hex(Frames.batchHead(-1, 3, 100)))
                .isEqualTo("03000000" + "0000006c" + "ffffffff" + "00000003");
        assertThat(hex(Frames.bytesHead(1, 3, 100)))
                .isEqualTo("04000000" + "0000006c" + "00000001" + "00000003");
        assertThat(hex(Frames.close(7, "ü")))
                .isEqualTo("05000000" + "0000000a" + "00000007" + "00000002c3bc");
        assertThat(hex(Frames.barrier(9, true, new int[] {1, 2}, new int[] {3})))
                .isEqualTo(
                        "06000000"
                                + "0000001d"
                                + "0000000000000009"
                                + "01"
                                + "00000002"
                                + "0000000100000002"
                                + "00000001"
                                + "00000003");
        assertThat(hex(Frames.commit(Long.MAX_VALUE)))
                .isEqualTo("07000000" + "00000008" + "7fffffffffffffff");
        assertThat(hex(Frames.aborted(9))).isEqualTo("08000000" + "00000008" + "0000000000000009");
        assertThat(hex(Frames.restore(2, new byte[] {5})))
                .isEqualTo("09000000" + "00000005" + "00000002" + "05");
        assertThat(hex(Frames.restoreEnd(3))).isEqualTo("0a000000" + "00000004" + "00000003");
        assertThat(hex(Frames.pull(4, 9)))
                .isEqualTo("0b000000" + "0000000c" + "00000004" + "0000000000000009");
        assertThat(hex(Frames.shutdown())).isEqualTo("0c000000" + "00000000");
        InsertCommit insert =
                new InsertCommit("id", InsertCommit.Overwrite.ITS_PARTITIONS, "_S", true);
        assertThat(hex(Frames.insert(insert)))
                .isEqualTo(
                        "0d000000"
                                + "0000000e"
                                + "00000002"
                                + "6964"
                                + "01"
                                + "00000002"
                                + "5f53"
                                + "01");
        assertThat(hex(Frames.insertEnd())).isEqualTo("0e000000" + "00000000");
    }

    /** Frames back are told apart, an empty entry included, up to the end of the stream. */
    @Test
    void readsTheFramesThatComeBack() throws IOException {
        List<String> seen =
                read(
                        "01000000"
                                + "00000008"
                                + "0000000000000010"
                                + "02000000"
                                + "0000000e"
                                + "00000004"
                                + "0000000000000009"
                                + "aabb"
                                + "02000000"
                                + "0000000c"
                                + "00000005"
                                + "0000000000000009"
                                + "03000000"
                                + "0000000c"
                                + "00000004"
                                + "0000000000000100"
                                + "04000000"
                                + "00000014"
                                + "00000004"
                                + "0000000000000009"
                                + "0000000000000200");

        assertThat(seen)
                .containsExactly(
                        "credit 16",
                        "state 4 9 aabb",
                        "state 5 9 ",
                        "progress 4 256",
                        "marked 4 9 512");
    }

    /** What the protocol doesn't know fails the task instead of being skipped. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0400000000000000",
                "01000000000000070000000000000",
                "0101000000000008",
                "020000000000000b",
                "03000000ffffffff"
            })
    void refusesOtherFrames(String hex) {
        assertThatThrownBy(() -> read(hex + "0".repeat(hex.length() % 2)))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(EOFException.class);
    }

    /** A stream that ends inside a frame is broken, not ended. */
    @Test
    void refusesAStreamThatEndsInsideAFrame() {
        assertThatThrownBy(() -> read("010000000000000800")).isInstanceOf(EOFException.class);
        assertThatThrownBy(() -> read("020000000000000e000000040000000000000009aa"))
                .isInstanceOf(EOFException.class);
    }

    private static List<String> read(String hex) throws IOException {
        List<String> seen = new ArrayList<>();
        ReturnFrames.readAll(
                new ByteArrayInputStream(HexFormat.of().parseHex(hex)),
                new ReturnFrames.Receiver() {
                    @Override
                    public void credit(long bytes) {
                        seen.add("credit " + bytes);
                    }

                    @Override
                    public void state(int file, long checkpoint, byte[] entry) {
                        seen.add(
                                "state "
                                        + file
                                        + " "
                                        + checkpoint
                                        + " "
                                        + HexFormat.of().formatHex(entry));
                    }

                    @Override
                    public void progress(int file, long encodedBytes) {
                        seen.add("progress " + file + " " + encodedBytes);
                    }

                    @Override
                    public void marked(int file, long checkpoint, long tail) {
                        seen.add("marked " + file + " " + checkpoint + " " + tail);
                    }
                });
        return seen;
    }

    private static String hex(ByteBuffer frame) {
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
