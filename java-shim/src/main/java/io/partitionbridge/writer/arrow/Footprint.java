package io.partitionbridge.writer.arrow;

/** Bytes that the batch holds beyond the fixed width of its rows: text, elements, map entries. */
final class Footprint {

    private long bytes;

    void add(long more) {
        bytes += more;
    }

    long bytes() {
        return bytes;
    }

    void clear() {
        bytes = 0;
    }
}
