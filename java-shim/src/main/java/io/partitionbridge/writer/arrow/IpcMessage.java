package io.partitionbridge.writer.arrow;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Encapsulated messages of Arrow's IPC format: continuation marker, length of the metadata,
 * metadata padded to eight bytes, body.
 *
 * @see <a href="https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format">
 *     Encapsulated message format</a>
 */
final class IpcMessage {

    private static final int PREFIX = 8;

    private IpcMessage() {}

    static byte[] schema(Schema schema) {
        return encapsulated(MessageSerializer.serializeMetadata(schema, IpcOption.DEFAULT)).array();
    }

    /**
     * The message in pieces: a header on the heap, and views of the column memory with the padding
     * that follows each buffer. Valid as long as the buffers of the batch are.
     */
    static List<ByteBuffer> pieces(ArrowRecordBatch batch) {
        List<ByteBuffer> pieces = new ArrayList<>(1 + batch.getBuffers().size());
        pieces.add(encapsulated(MessageSerializer.serializeMetadata(batch, IpcOption.DEFAULT)));
        for (ArrowBuf buffer : batch.getBuffers()) {
            int length = (int) padded(buffer.readableBytes());
            if (length > 0) {
                pieces.add(buffer.nioBuffer(0, length));
            }
        }
        return pieces;
    }

    private static ByteBuffer encapsulated(ByteBuffer metadata) {
        int length = (int) padded(metadata.remaining());
        ByteBuffer header = ByteBuffer.allocate(PREFIX + length).order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(MessageSerializer.IPC_CONTINUATION_TOKEN).putInt(length).put(metadata);
        return header.clear();
    }

    private static long padded(long length) {
        return length + 7 & -8L;
    }
}
