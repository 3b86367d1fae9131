package io.partitionbridge.state;

import java.util.List;

/**
 * What the state says about one file; everything a restart needs (I7). Fields as in
 * docs/protocol.md, "State entry, version 1".
 *
 * @param tail bytes that are in no part yet
 */
public record FileEntry(
        State state,
        String bucket,
        String key,
        String partition,
        String token,
        String uploadId,
        List<Part> parts,
        long partSize,
        boolean sealed,
        long size,
        long rows,
        long checkpoint,
        long createdMillis,
        long lastWriteMillis,
        String encoder,
        String schema,
        byte[] tail) {

    /** Whether the file still has to be made visible. */
    public enum State {
        PENDING,
        COMPLETED
    }

    /**
     * @param checksum of the store, or null
     */
    public record Part(int number, long size, String etag, String checksum) {}

    /** The entry once the file is visible: kept until its announcement is covered (I4). */
    public FileEntry completed() {
        return new FileEntry(
                State.COMPLETED,
                bucket,
                key,
                partition,
                token,
                null,
                List.of(),
                partSize,
                true,
                size,
                rows,
                checkpoint,
                createdMillis,
                lastWriteMillis,
                encoder,
                schema,
                new byte[0]);
    }

    public boolean isPending() {
        return state == State.PENDING;
    }
}
