package io.partitionbridge.writer.arrow;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;

/**
 * Which slots of a column are set.
 *
 * <p>Arrow lets the bitmap be absent while nothing is null, so it comes into being with the first
 * null: most columns of most batches never pay for it.
 */
final class Validity {

    private final Bitmap bits;
    private int length;
    private int nulls;

    Validity(BufferAllocator allocator) {
        this.bits = new Bitmap(allocator);
    }

    void appendSet() {
        if (nulls > 0) {
            bits.append(true);
        }
        length++;
    }

    void appendNull() {
        if (nulls == 0) {
            bits.fill(length);
        }
        bits.append(false);
        nulls++;
        length++;
    }

    int length() {
        return length;
    }

    int nulls() {
        return nulls;
    }

    ArrowBuf padded() {
        return bits.padded();
    }

    void clear() {
        bits.clear();
        length = 0;
        nulls = 0;
    }

    void release() {
        bits.release();
        length = 0;
        nulls = 0;
    }
}
