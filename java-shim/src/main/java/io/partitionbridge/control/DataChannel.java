package io.partitionbridge.control;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The socket to the writer: frames out, in the order of the calls, and frames back on a thread of
 * their own.
 *
 * <p>Any thread may send. The lock is held for the write only, and BATCH and BYTES take their
 * credit before the lock, so a COMMIT or PULL never waits behind data that the writer has no room
 * for.
 */
final class DataChannel implements AutoCloseable {

    private final SocketChannel socket;
    private final ReentrantLock writing = new ReentrantLock();
    private final Credit credit;
    private final Thread reader;

    /**
     * @param ended called once on the reader's thread when the writer closed its end (null) or the
     *     stream broke
     */
    DataChannel(
            SocketChannel socket,
            Credit credit,
            ReturnFrames.Receiver receiver,
            Consumer<IOException> ended,
            String name) {
        this.socket = socket;
        this.credit = credit;
        this.reader = new Thread(() -> read(receiver, ended), name);
        reader.setDaemon(true);
        reader.start();
    }

    private void read(ReturnFrames.Receiver receiver, Consumer<IOException> ended) {
        IOException broken = null;
        try {
            // The stream isn't closed here: that would close the socket for the senders as well.
            ReturnFrames.readAll(
                    new BufferedInputStream(Channels.newInputStream(socket)), receiver);
        } catch (IOException e) {
            broken = e;
        }
        ended.accept(broken);
    }

    void send(ByteBuffer frame) throws IOException {
        write(new ByteBuffer[] {frame});
    }

    /**
     * Waits for credit, then sends a BATCH or BYTES; the buffers are free on return.
     *
     * @param length of the content, in bytes
     */
    void sendData(long length, ByteBuffer head, List<ByteBuffer> content)
            throws IOException, InterruptedException {
        credit.take(Frames.BATCH_FIELDS + length);
        ByteBuffer[] buffers = new ByteBuffer[content.size() + 1];
        buffers[0] = head;
        for (int i = 0; i < content.size(); i++) {
            buffers[i + 1] = content.get(i);
        }
        write(buffers);
    }

    private void write(ByteBuffer[] buffers) throws IOException {
        // An interrupt that is pending would close the socket in the middle of a frame, and with it
        // the way for an orderly SHUTDOWN.
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted before a frame was sent to the writer");
        }
        writing.lock();
        try {
            int first = 0;
            while (first < buffers.length) {
                socket.write(buffers, first, buffers.length - first);
                while (first < buffers.length && !buffers[first].hasRemaining()) {
                    first++;
                }
            }
        } finally {
            writing.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        boolean interrupted = Thread.interrupted();
        try {
            reader.join();
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
