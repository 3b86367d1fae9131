package io.partitionbridge.writer.arrow;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.flink.table.api.TableRuntimeException;

/**
 * Off-heap memory that is only ever appended to, in the byte order that Arrow's IPC format declares
 * for this machine.
 *
 * <p>Arrow's own vectors check bounds and reference counts for every value and zero whole buffers
 * for each batch; here one comparison with the capacity guards each write, so no address outside
 * the buffer is ever written. The capacity stays a multiple of eight, which lets {@link #padded()}
 * hand out a buffer and its IPC padding as one.
 */
final class GrowingBuffer {

    /** Arrow's offsets are int32, so no buffer may become larger. */
    private static final long MAX_BYTES = Integer.MAX_VALUE - 7L;

    private static final long FIRST_CAPACITY = 1024;

    private final BufferAllocator allocator;
    private ArrowBuf memory;
    private long address;
    private long capacity;
    private long size;

    GrowingBuffer(BufferAllocator allocator) {
        this.allocator = allocator;
        this.memory = allocator.getEmpty();
    }

    int size() {
        return (int) size;
    }

    void putByte(int value) {
        long at = reserve(Byte.BYTES);
        MemoryUtil.putByte(at, (byte) value);
    }

    void putShort(short value) {
        long at = reserve(Short.BYTES);
        MemoryUtil.putShort(at, value);
    }

    void putInt(int value) {
        long at = reserve(Integer.BYTES);
        MemoryUtil.putInt(at, value);
    }

    void putLong(long value) {
        long at = reserve(Long.BYTES);
        MemoryUtil.putLong(at, value);
    }

    void putBytes(byte[] source, int offset, int length) {
        long at = reserve(length);
        MemoryUtil.copyToMemory(source, offset, at, length);
    }

    /** Copies from off-heap memory; the caller vouches for the address range. */
    void putMemory(long source, int length) {
        long at = reserve(length);
        MemoryUtil.copyMemory(source, at, length);
    }

    /** Sets bits of the byte written last; there must be one. */
    void orLastByte(int bits) {
        long at = address + size - 1;
        MemoryUtil.putByte(at, (byte) (MemoryUtil.getByte(at) | bits));
    }

    /** The bytes so far, and zeros up to the next multiple of eight, for Arrow's IPC body. */
    ArrowBuf padded() {
        for (long at = size; (at & 7) != 0; at++) {
            MemoryUtil.putByte(address + at, (byte) 0);
        }
        memory.readerIndex(0);
        memory.writerIndex(size);
        return memory;
    }

    /** Empties the buffer and keeps its memory for the next batch. */
    void clear() {
        size = 0;
    }

    /** Empties the buffer and gives its memory back; it grows anew when used again. */
    void release() {
        memory.getReferenceManager().release();
        memory = allocator.getEmpty();
        address = 0;
        capacity = 0;
        size = 0;
    }

    private long reserve(long bytes) {
        long start = size;
        if (start + bytes > capacity) {
            grow(start + bytes);
        }
        size = start + bytes;
        return address + start;
    }

    private void grow(long needed) {
        if (needed > MAX_BYTES) {
            throw new TableRuntimeException(
                    "One column of one batch would need "
                            + needed
                            + " bytes, and Arrow's limit is 2 GiB. A single row holds a value that"
                            + " is too large to be written; shorten it or leave it out.");
        }
        long wanted = Math.max(FIRST_CAPACITY, Long.highestOneBit(needed - 1) << 1);
        ArrowBuf larger = allocator.buffer(Math.min(wanted, MAX_BYTES));
        MemoryUtil.copyMemory(address, larger.memoryAddress(), size);
        memory.getReferenceManager().release();
        memory = larger;
        address = larger.memoryAddress();
        capacity = larger.capacity() & -8L;
    }
}
