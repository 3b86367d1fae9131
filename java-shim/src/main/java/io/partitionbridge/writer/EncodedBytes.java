package io.partitionbridge.writer;

import io.partitionbridge.control.FrameSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.flink.core.fs.FSDataOutputStream;

/**
 * What a format of Flink writes one file to: its bytes go to the writer in frames.
 *
 * <p>Formats flush as often as they like; bytes leave when a frame is full, or by {@link #send}. A
 * closed stream sends nothing any more (I2).
 */
final class EncodedBytes extends FSDataOutputStream {

    private static final int FIRST_CAPACITY = 1 << 12;

    private final FrameSink writer;
    private final int file;
    private final int chunk;

    private byte[] buffer;
    private int held;
    private int rows;
    private long position;
    private boolean closed;

    EncodedBytes(FrameSink writer, int file, int chunk) {
        this.writer = writer;
        this.file = file;
        this.chunk = chunk;
        this.buffer = new byte[Math.min(FIRST_CAPACITY, chunk)];
    }

    /** The frame that is sent next brings one row more. */
    void rowWritten() {
        rows++;
    }

    /** Bytes that wait for their frame to fill. */
    int held() {
        return held;
    }

    /** Sends what is held, if only the number of rows, and gives its memory back. */
    void send() throws IOException {
        if (held > 0 || rows > 0) {
            sendBuffer();
            buffer = new byte[Math.min(FIRST_CAPACITY, chunk)];
        }
    }

    private void sendBuffer() throws IOException {
        writer.sendBytes(file, rows, ByteBuffer.wrap(buffer, 0, held));
        held = 0;
        rows = 0;
    }

    @Override
    public void write(int b) throws IOException {
        makeRoom(1);
        buffer[held++] = (byte) b;
        position++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int from = offset;
        int left = length;
        while (left > 0) {
            makeRoom(left);
            int fits = Math.min(left, buffer.length - held);
            System.arraycopy(bytes, from, buffer, held, fits);
            held += fits;
            position += fits;
            from += fits;
            left -= fits;
        }
    }

    private void makeRoom(int wanted) throws IOException {
        if (closed) {
            throw new IOException("The stream of file " + file + " is closed.");
        }
        if (held == chunk) {
            sendBuffer();
        }
        if (held + wanted > buffer.length && buffer.length < chunk) {
            long doubled = Math.max(2L * buffer.length, (long) held + wanted);
            buffer = Arrays.copyOf(buffer, (int) Math.min(doubled, chunk));
        }
    }

    @Override
    public long getPos() {
        return position;
    }

    @Override
    public void flush() {}

    /** Nothing is durable before its checkpoint is, whatever the format asks for. */
    @Override
    public void sync() {}

    @Override
    public void close() {
        closed = true;
        buffer = new byte[0];
        held = 0;
        rows = 0;
    }
}
