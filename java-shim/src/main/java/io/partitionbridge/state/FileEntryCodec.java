package io.partitionbridge.state;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * Bytes of a state entry: magic, version, header, tail, checksum. Strict both ways (I7): what
 * doesn't hold on writing is never written, what isn't exactly right is never read.
 */
public final class FileEntryCodec {

    static final short VERSION = 1;

    private static final byte[] MAGIC = "PBSE".getBytes(StandardCharsets.US_ASCII);
    private static final int FIXED = MAGIC.length + Short.BYTES + Integer.BYTES;

    private FileEntryCodec() {}

    public static byte[] encode(FileEntry entry) {
        String fault = EntryRules.fault(entry);
        if (fault != null) {
            throw new IllegalArgumentException("A state entry may not be written: " + fault);
        }
        byte[] header = EntryHeader.write(entry);
        int length = FIXED + header.length + entry.tail().length;
        ByteBuffer bytes = ByteBuffer.allocate(length + Integer.BYTES);
        bytes.put(MAGIC).putShort(VERSION).putInt(header.length).put(header).put(entry.tail());
        bytes.putInt(checksum(bytes.array(), length));
        return bytes.array();
    }

    /**
     * @throws BrokenEntryException if the bytes aren't exactly one entry of version 1
     */
    public static FileEntry decode(byte[] bytes) throws BrokenEntryException {
        if (bytes.length < FIXED + Integer.BYTES
                || !Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            throw new BrokenEntryException("it doesn't begin like one of the bridge's");
        }
        ByteBuffer in = ByteBuffer.wrap(bytes, MAGIC.length, bytes.length - MAGIC.length);
        int version = Short.toUnsignedInt(in.getShort());
        if (version != VERSION) {
            throw new BrokenEntryException(
                    "it has format version " + version + ", this release reads " + VERSION);
        }
        int headerLength = in.getInt();
        int body = bytes.length - Integer.BYTES;
        if (headerLength < 0 || headerLength > body - FIXED) {
            throw new BrokenEntryException("its header is longer than the entry");
        }
        if (ByteBuffer.wrap(bytes).getInt(body) != checksum(bytes, body)) {
            throw new BrokenEntryException("its checksum doesn't match");
        }
        byte[] header = Arrays.copyOfRange(bytes, FIXED, FIXED + headerLength);
        byte[] tail = Arrays.copyOfRange(bytes, FIXED + headerLength, body);
        FileEntry entry = EntryHeader.read(header, tail);
        String fault = EntryRules.fault(entry);
        if (fault != null) {
            throw new BrokenEntryException(fault);
        }
        if (!Arrays.equals(EntryHeader.write(entry), header)) {
            throw new BrokenEntryException(
                    "its header isn't in the canonical form: keys sorted, no blanks, UTF-8");
        }
        return entry;
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
