package io.partitionbridge.writer.arrow;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;

/** Bits in Arrow's order, least significant first: the values of a BOOLEAN column, or validity. */
final class Bitmap {

    private final GrowingBuffer bytes;
    private int length;

    Bitmap(BufferAllocator allocator) {
        this.bytes = new GrowingBuffer(allocator);
    }

    void append(boolean bit) {
        int place = length & 7;
        if (place == 0) {
            bytes.putByte(bit ? 1 : 0);
        } else if (bit) {
            bytes.orLastByte(1 << place);
        }
        length++;
    }

    /** Appends ones to an empty bitmap. */
    void fill(int ones) {
        for (int i = 0; i < ones >> 3; i++) {
            bytes.putByte(-1);
        }
        if ((ones & 7) != 0) {
            bytes.putByte((1 << (ones & 7)) - 1);
        }
        length = ones;
    }

    ArrowBuf padded() {
        return bytes.padded();
    }

    void clear() {
        bytes.clear();
        length = 0;
    }

    void release() {
        bytes.release();
        length = 0;
    }
}
