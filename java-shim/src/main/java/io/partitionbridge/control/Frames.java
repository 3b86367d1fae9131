package io.partitionbridge.control;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The bytes of the frames that go from the JVM to the writer (docs/protocol.md, "Frames").
 *
 * <p>Every method returns a buffer that is ready to be written. {@link #batchHead} and {@link
 * #bytesHead} return header and fixed fields only: the content follows as it is, uncopied.
 */
public final class Frames {

    /** Bytes of a BATCH or BYTES payload that come before its content. */
    public static final int BATCH_FIELDS = 8;

    static final int HEADER = 8;

    static final byte SCHEMA = 1;
    static final byte OPEN = 2;
    static final byte BATCH = 3;
    static final byte BYTES = 4;
    static final byte CLOSE = 5;
    static final byte BARRIER = 6;
    static final byte COMMIT = 7;
    static final byte ABORTED = 8;
    static final byte RESTORE = 9;
    static final byte RESTORE_END = 10;
    static final byte PULL = 11;
    static final byte SHUTDOWN = 12;
    static final byte INSERT = 13;
    static final byte INSERT_END = 14;

    static final byte CREDIT = 1;
    static final byte STATE = 2;
    static final byte PROGRESS = 3;
    static final byte MARKED = 4;

    private Frames() {}

    public static ByteBuffer schema(byte[] message) {
        return frame(SCHEMA, message.length).put(message).flip();
    }

    public static ByteBuffer open(
            int file, long createdMillis, String partition, String key, String token) {
        byte[] p = utf8(partition);
        byte[] k = utf8(key);
        byte[] t = utf8(token);
        ByteBuffer frame = frame(OPEN, 4 + 8 + 12 + p.length + k.length + t.length);
        frame.putInt(file).putLong(createdMillis);
        frame.putInt(p.length).put(p).putInt(k.length).put(k).putInt(t.length).put(t);
        return frame.flip();
    }

    public static ByteBuffer batchHead(int file, int rows, long length) {
        return dataHead(BATCH, file, rows, length);
    }

    public static ByteBuffer bytesHead(int file, int rows, long length) {
        return dataHead(BYTES, file, rows, length);
    }

    private static ByteBuffer dataHead(byte type, int file, int rows, long length) {
        ByteBuffer frame = ByteBuffer.allocate(HEADER + BATCH_FIELDS);
        head(frame, type, Math.toIntExact(BATCH_FIELDS + length));
        return frame.putInt(file).putInt(rows).flip();
    }

    public static ByteBuffer close(int file, String reason) {
        byte[] r = utf8(reason);
        return frame(CLOSE, 8 + r.length).putInt(file).putInt(r.length).put(r).flip();
    }

    public static ByteBuffer barrier(
            long checkpoint, boolean savepoint, int[] files, int[] stillOpen) {
        ByteBuffer frame = frame(BARRIER, 8 + 1 + 4 + 4 * files.length + 4 + 4 * stillOpen.length);
        frame.putLong(checkpoint).put((byte) (savepoint ? 1 : 0));
        for (int[] named : new int[][] {files, stillOpen}) {
            frame.putInt(named.length);
            for (int file : named) {
                frame.putInt(file);
            }
        }
        return frame.flip();
    }

    public static ByteBuffer commit(long checkpoint) {
        return frame(COMMIT, 8).putLong(checkpoint).flip();
    }

    public static ByteBuffer aborted(long checkpoint) {
        return frame(ABORTED, 8).putLong(checkpoint).flip();
    }

    public static ByteBuffer restore(int element, byte[] entry) {
        return frame(RESTORE, 4 + entry.length).putInt(element).put(entry).flip();
    }

    public static ByteBuffer restoreEnd(int count) {
        return frame(RESTORE_END, 4).putInt(count).flip();
    }

    public static ByteBuffer pull(int file, long checkpoint) {
        return frame(PULL, 12).putInt(file).putLong(checkpoint).flip();
    }

    public static ByteBuffer shutdown() {
        return frame(SHUTDOWN, 0).flip();
    }

    static ByteBuffer insert(InsertCommit insert) {
        byte[] id = utf8(insert.id());
        byte[] success = utf8(insert.successFile());
        ByteBuffer frame = frame(INSERT, 4 + id.length + 1 + 4 + success.length + 1);
        frame.putInt(id.length).put(id).put((byte) insert.overwrite().ordinal());
        frame.putInt(success.length).put(success).put((byte) (insert.rerun() ? 1 : 0));
        return frame.flip();
    }

    static ByteBuffer insertEnd() {
        return frame(INSERT_END, 0).flip();
    }

    private static ByteBuffer frame(byte type, int payload) {
        ByteBuffer frame = ByteBuffer.allocate(HEADER + payload);
        head(frame, type, payload);
        return frame;
    }

    private static void head(ByteBuffer frame, byte type, int payload) {
        frame.put(type).put((byte) 0).putShort((short) 0).putInt(payload);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
