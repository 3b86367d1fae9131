package io.partitionbridge.writer.arrow;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.memory.unsafe.UnsafeAllocationManager;
import org.apache.flink.table.api.ValidationException;

/** Opens Arrow's off-heap memory, or says what keeps it shut. */
final class ArrowMemory {

    private ArrowMemory() {}

    /**
     * The allocator names its memory backend: Arrow would otherwise search the class path for one
     * by the path of a class, which finds nothing once the shim's jar has relocated it.
     *
     * @throws ValidationException where this JVM doesn't open java.nio to Arrow
     */
    static BufferAllocator open() {
        try {
            BufferAllocator allocator =
                    new RootAllocator(
                            RootAllocator.configBuilder()
                                    .allocationManagerFactory(UnsafeAllocationManager.FACTORY)
                                    .build());
            // Arrow starts without the option and fails only where memory is first shown as a
            // ByteBuffer, which would be in the middle of the job.
            try (ArrowBuf probe = allocator.buffer(Long.BYTES)) {
                probe.nioBuffer(0, Long.BYTES);
            } catch (UnsupportedOperationException closed) {
                allocator.close();
                throw closed;
            }
            return allocator;
        } catch (UnsupportedOperationException | LinkageError closed) {
            throw new ValidationException(
                    "Arrow's memory can't start in this JVM, because java.nio isn't open to it."
                            + " Add --add-opens=java.base/java.nio=ALL-UNNAMED to"
                            + " env.java.opts.all of the TaskManagers (Flink's default"
                            + " configuration has it; one that sets env.java.opts.all anew must"
                            + " repeat it).",
                    closed);
        }
    }
}
