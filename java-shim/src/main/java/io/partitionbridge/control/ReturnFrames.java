package io.partitionbridge.control;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** Reads the frames that the writer sends back and hands each to its receiver. */
final class ReturnFrames {

    /** Receives on the reader thread, so it must not wait for the task thread. */
    interface Receiver {
        void credit(long bytes);

        /** An empty entry says that the file is completed already. */
        void state(int file, long checkpoint, byte[] entry);

        void progress(int file, long encodedBytes);

        /**
         * So many bytes of an open file are in the checkpoint's state, since they are in no part.
         */
        void marked(int file, long checkpoint, long tail);
    }

    private static final int STATE_FIELDS = 12;

    private ReturnFrames() {}

    /**
     * Reads until the stream ends between two frames.
     *
     * @throws IOException if the stream breaks, or a frame isn't one of the protocol's
     */
    static void readAll(InputStream stream, Receiver receiver) throws IOException {
        DataInputStream in = new DataInputStream(stream);
        int type;
        while ((type = in.read()) >= 0) {
            int flags = in.readUnsignedByte() | in.readUnsignedShort();
            int length = in.readInt();
            if (flags != 0 || length < 0) {
                throw new IOException("The writer sent a frame with a header it may not have.");
            }
            readOne(type, length, in, receiver);
        }
    }

    private static void readOne(int type, int length, DataInputStream in, Receiver receiver)
            throws IOException {
        if (type == Frames.CREDIT && length == 8) {
            receiver.credit(in.readLong());
        } else if (type == Frames.STATE && length >= STATE_FIELDS) {
            int file = in.readInt();
            long checkpoint = in.readLong();
            byte[] entry = in.readNBytes(length - STATE_FIELDS);
            if (entry.length != length - STATE_FIELDS) {
                throw new EOFException("The writer's socket ended inside a state entry.");
            }
            receiver.state(file, checkpoint, entry);
        } else if (type == Frames.PROGRESS && length == 12) {
            receiver.progress(in.readInt(), in.readLong());
        } else if (type == Frames.MARKED && length == 20) {
            receiver.marked(in.readInt(), in.readLong(), in.readLong());
        } else {
            throw new IOException(
                    "The writer sent a frame of type "
                            + type
                            + " with "
                            + length
                            + " bytes, which the protocol doesn't know. Shim and Python package are"
                            + " of different versions?");
        }
    }
}
