package io.partitionbridge.writer;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.UUID;

/**
 * Names and identities of the files of one attempt of a subtask (docs/protocol.md, "Names").
 *
 * <p>The first group of a name's uuid is the bridge's mark, by which an open upload, which shows no
 * metadata, is told from others'. No name is ever given twice (I10): in a streaming job the uuid is
 * new for each attempt, in a batch job it is the insert's and the attempt has digits of its own.
 */
public final class PartFileNames {

    private static final int MARK = 0x70627269;
    private static final int TOKEN_BYTES = 16;
    private static final int ATTEMPT_BYTES = 4;

    private final SecureRandom random;
    private final String start;
    private final String end;
    private long counter;

    private PartFileNames(String start, String end, SecureRandom random) {
        this.random = random;
        this.start = start;
        this.end = end;
    }

    /** Flink's streaming names: prefix-uuid-subtask-counter and the suffix. */
    public static PartFileNames ofAttempt(
            String prefix, String suffix, int subtask, SecureRandom random) {
        return new PartFileNames(
                prefix + "-" + markedUuid(random) + "-" + subtask + "-", suffix, random);
    }

    /** Flink's batch names, prefix-uuid-task-n-file-k, then the attempt and the suffix. */
    public static PartFileNames ofInsert(
            String prefix, String suffix, String insert, int subtask, SecureRandom random) {
        byte[] attempt = new byte[ATTEMPT_BYTES];
        random.nextBytes(attempt);
        return new PartFileNames(
                prefix + "-" + insert + "-task-" + subtask + "-file-",
                "-" + HexFormat.of().formatHex(attempt) + suffix,
                random);
    }

    /** The id of an insert: the uuid of all its files. */
    public static String newInsert() {
        return markedUuid(new SecureRandom()).toString();
    }

    String nextName() {
        return start + counter++ + end;
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
