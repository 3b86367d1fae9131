package io.partitionbridge.control;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Where frames go, in the order of the calls. */
public interface FrameSink {

    void send(ByteBuffer frame) throws IOException;

    /** Waits for credit, then sends; the buffers are free on return. */
    void sendBatch(int file, int rows, long length, List<ByteBuffer> message) throws IOException;

    /**
     * As {@link #sendBatch}, for the next bytes of a file that is encoded here.
     *
     * @param rows written since the file's bytes before
     */
    void sendBytes(int file, int rows, ByteBuffer bytes) throws IOException;
}
