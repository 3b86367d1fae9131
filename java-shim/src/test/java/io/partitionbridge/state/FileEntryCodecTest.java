package io.partitionbridge.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** State bytes are a public format: golden files in tests/golden/entries, shared with Python. */
class FileEntryCodecTest {

    private static final String KEY =
            "flights/day=2013-01-01/part-70627269-1a2b-8c3d-9e4f-0123456789ab-0-7";

    /** A sealed multipart entry is read field by field. */
    @Test
    void readsTheGoldenMultipartEntry() throws IOException {
        FileEntry entry = FileEntryCodec.decode(golden("multipart"));

        assertThat(entry.state()).isEqualTo(FileEntry.State.PENDING);
        assertThat(entry.bucket()).isEqualTo("lake");
        assertThat(entry.key()).isEqualTo(KEY);
        assertThat(entry.partition()).isEqualTo("day=2013-01-01/");
        assertThat(entry.token()).isEqualTo("00112233445566778899aabbccddeeff");
        assertThat(entry.uploadId()).isEqualTo("upload-1");
        assertThat(entry.parts())
                .containsExactly(
                        new FileEntry.Part(
                                1, 16 << 20, "\"9b2cf535f27731c974343645a3985328\"", null),
                        new FileEntry.Part(
                                2, 12_345, "\"5eb63bbbe01eeed093cb22bb8f5acdc3\"", null));
        assertThat(entry.partSize()).isEqualTo(16 << 20);
        assertThat(entry.size()).isEqualTo((16 << 20) + 12_345);
        assertThat(entry.rows()).isEqualTo(200_000);
        assertThat(entry.checkpoint()).isEqualTo(42);
        assertThat(entry.createdMillis()).isEqualTo(1_357_034_400_000L);
        assertThat(entry.lastWriteMillis()).isEqualTo(1_357_034_460_000L);
        assertThat(entry.schema()).isEqualTo("0123456789abcdef");
        assertThat(entry.sealed()).isTrue();
    }

    /** The bytes of an inline file are its tail. */
    @Test
    void readsTheGoldenInlineEntry() throws IOException {
        FileEntry entry = FileEntryCodec.decode(golden("inline"));

        assertThat(entry.uploadId()).isNull();
        assertThat(entry.tail()).containsExactly(-10, -9, -8, -7, -6, -5, -4, -3, -2, -1);
    }

    /** What was written by the other language is written here byte for byte. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "multipart",
                "inline",
                "completed",
                "checksums",
                "other-letters",
                "rare-letters",
                "last-checkpoint",
                "open"
            })
    void writesTheGoldenBytes(String name) throws IOException {
        byte[] bytes = golden(name);

        assertThat(FileEntryCodec.encode(FileEntryCodec.decode(bytes))).isEqualTo(bytes);
    }

    /** The completed form keeps identity and numbers, and nothing that could be completed again. */
    @Test
    void theCompletedFormHasNothingLeftToDo() throws IOException {
        FileEntry completed = FileEntryCodec.decode(golden("multipart")).completed();

        FileEntry again = FileEntryCodec.decode(FileEntryCodec.encode(completed));
        assertThat(again.isPending()).isFalse();
        assertThat(again.uploadId()).isNull();
        assertThat(again.parts()).isEmpty();
        assertThat(again.size()).isEqualTo((16 << 20) + 12_345);
        assertThat(again.rows()).isEqualTo(200_000);
    }

    /** Every single byte counts: whichever is changed, the entry is refused. */
    @Test
    void refusesEveryChangedByte() throws IOException {
        byte[] bytes = golden("inline");
        for (int i = 0; i < bytes.length; i++) {
            byte[] changed = bytes.clone();
            changed[i] ^= 1;
            assertThatThrownBy(() -> FileEntryCodec.decode(changed))
                    .as("byte %d", i)
                    .isInstanceOf(BrokenEntryException.class);
        }
    }

    /** Cut or lengthened bytes are refused, at every length. */
    @Test
    void refusesCutAndTrailingBytes() throws IOException {
        byte[] bytes = golden("multipart");
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> FileEntryCodec.decode(cut))
                    .as("length %d", length)
                    .isInstanceOf(BrokenEntryException.class);
        }
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
        assertThatThrownBy(() -> FileEntryCodec.decode(longer))
                .isInstanceOf(BrokenEntryException.class);
    }

    /**
     * A header with a key more, a key less or another form is refused though its checksum holds.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"bucket\":\"lake\",>\"bucket\":\"lake\",\"colour\":\"red\",",
                "\"encoder\":\"arrow\",>",
                "\"bucket\":\"lake\">\"bucket\": \"lake\"",
                "\"rows\":1,>\"rows\":\"1\",",
                "\"rows\":1,>\"rows\":-1,",
                "\"sealed\":true>\"sealed\":1",
                "\"state\":\"pending\">\"state\":\"open\"",
                "\"tail\":10>\"tail\":11",
                "\"size\":10>\"size\":13",
                "\"encoder\":\"arrow\">\"encoder\":\"other\"",
                "eeff>EEFF",
            })
    void refusesAnotherHeader(String change) throws IOException {
        String[] fromTo = change.split(">", -1);
        byte[] changed = rewriteHeader(golden("inline"), fromTo[0], fromTo[1]);

        assertThatThrownBy(() -> FileEntryCodec.decode(changed))
                .isInstanceOf(BrokenEntryException.class)
                .hasMessageContaining("bridge-files");
    }

    /** An entry of a later release names both versions. */
    @Test
    void refusesAnotherVersionByNumber() throws IOException {
        byte[] bytes = golden("inline");
        bytes[5] = 2;

        assertThatThrownBy(() -> FileEntryCodec.decode(bytes))
                .hasMessageContaining("version 2")
                .hasMessageContaining("reads 1");
    }

    /** What may not be read may not be written either. */
    @Test
    void refusesToWriteAnEntryThatContradictsItself() throws IOException {
        FileEntry good = FileEntryCodec.decode(golden("multipart"));
        FileEntry bad =
                new FileEntry(
                        good.state(),
                        good.bucket(),
                        good.key(),
                        good.partition(),
                        good.token(),
                        null,
                        good.parts(),
                        good.partSize(),
                        true,
                        good.size(),
                        good.rows(),
                        good.checkpoint(),
                        good.createdMillis(),
                        good.lastWriteMillis(),
                        good.encoder(),
                        good.schema(),
                        new byte[0]);

        assertThatThrownBy(() -> FileEntryCodec.encode(bad))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("upload id");
    }

    static byte[] golden(String name) throws IOException {
        return Files.readAllBytes(Path.of("../tests/golden/entries/v1-" + name + ".bin"));
    }

    private static byte[] rewriteHeader(byte[] entry, String from, String to) {
        int headerLength = ByteBuffer.wrap(entry).getInt(6);
        String header = new String(entry, 10, headerLength, StandardCharsets.UTF_8);
        assertThat(header).contains(from);
        byte[] changed = header.replace(from, to).getBytes(StandardCharsets.UTF_8);
        int tail = entry.length - 4 - 10 - headerLength;
        ByteBuffer out = ByteBuffer.allocate(10 + changed.length + tail + 4);
        out.put(entry, 0, 6).putInt(changed.length).put(changed);
        out.put(entry, 10 + headerLength, tail);
        CRC32 crc = new CRC32();
        crc.update(out.array(), 0, out.position());
        return out.putInt((int) crc.getValue()).array();
    }
}
