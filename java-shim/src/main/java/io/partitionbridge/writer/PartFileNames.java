package io.partitionbridge.writer;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.UUID;

/**
 * Names and identities of the files of one attempt of a subtask (docs/protocol.md, "Names").
 *
 * <p>The uuid is new for each attempt, so a rewind never repeats a name (I10). Its first group is
 * the bridge's mark, by which an open upload, which shows no metadata, is told from others'.
 */
final class PartFileNames {

    private static final int MARK = 0x70627269;
    private static final int TOKEN_BYTES = 16;

    private final SecureRandom random;
    private final String start;
    private final String suffix;
    private long counter;

    PartFileNames(String prefix, String suffix, int subtask, SecureRandom random) {
        this.random = random;
        this.suffix = suffix;
        this.start = prefix + "-" + markedUuid(random) + "-" + subtask + "-";
    }

    String nextName() {
        return start + counter++ + suffix;
    }

    /** 32 hex digits, stored with the object: proof of which file an object is. */
    String newToken() {
        byte[] token = new byte[TOKEN_BYTES];
        random.nextBytes(token);
        return HexFormat.of().formatHex(token);
    }

    /** Version 8 of RFC 9562: free content but for version and variant. */
    private static UUID markedUuid(SecureRandom random) {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        ByteBuffer uuid = ByteBuffer.wrap(bytes);
        uuid.putInt(0, MARK);
        uuid.put(6, (byte) (bytes[6] & 0x0f | 0x80));
        uuid.put(8, (byte) (bytes[8] & 0x3f | 0x80));
        return new UUID(uuid.getLong(0), uuid.getLong(8));
    }
}
