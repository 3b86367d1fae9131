package io.partitionbridge.state;

import java.io.IOException;

/**
 * An element of the state whose bytes the writer is still making.
 *
 * <p>Flink copies operator list state by reference on the task thread and serializes it on the
 * asynchronous one; there, and only there, {@link #bytes} waits.
 */
public interface LiveEntry {

    /**
     * @throws IOException if the checkpoint is aborted or the task is cancelled, which the writer's
     *     end leads to; it never waits for anything that may not come
     */
    byte[] bytes() throws IOException;
}
