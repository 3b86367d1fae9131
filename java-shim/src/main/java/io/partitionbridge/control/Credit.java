package io.partitionbridge.control;

import java.io.IOException;

/**
 * How many payload bytes of BATCH and BYTES the shim may still send.
 *
 * <p>The task thread waits here and not in the socket, so that the write lock is only ever held for
 * a moment and control frames never wait behind data.
 */
final class Credit {

    private long available;
    private Throwable closed;

    synchronized void grant(long bytes) {
        available += bytes;
        notifyAll();
    }

    /** Takes bytes, waiting for them; every grant and {@link #close} wakes it. */
    synchronized void take(long bytes) throws IOException, InterruptedException {
        while (closed == null && available < bytes) {
            wait();
        }
        if (closed != null) {
            throw new IOException(closed.getMessage(), closed);
        }
        available -= bytes;
    }

    synchronized void close(Throwable cause) {
        if (closed == null) {
            closed = cause;
        }
        notifyAll();
    }
}
