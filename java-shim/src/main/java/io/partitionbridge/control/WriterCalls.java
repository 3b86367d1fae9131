package io.partitionbridge.control;

import java.util.Map;
import java.util.Objects;

/**
 * The calls that the writer makes over py4j (docs/protocol.md, "Control calls").
 *
 * <p>They come on py4j's threads. None waits for the task thread, which may itself be waiting for
 * the writer.
 */
public final class WriterCalls {

    static final int PROTOCOL = 1;

    /** What the calls lead to. */
    interface Receiver {
        void hello(int pid, String versions);

        void uploadCreated(int file, String key, String uploadId);

        void snapshotReady(long checkpoint);

        void restored(RestoredFiles files);

        void committed(long checkpoint, CommittedFiles files);

        void inserted(InsertedFiles files);

        void insertEnded();

        void failed(WriterFailure failure);

        void metrics(WriterMetrics metrics);

        Map<String, Object> credentials();
    }

    private final Receiver receiver;

    WriterCalls(Receiver receiver) {
        this.receiver = Objects.requireNonNull(receiver);
    }

    public void hello(int protocol, int pid, String versionsJson) {
        WriterFailure mismatch = mismatch(protocol, versionsJson);
        if (mismatch != null) {
            receiver.failed(mismatch);
            throw new IllegalArgumentException(mismatch.getMessage());
        }
        receiver.hello(pid, versionsJson);
    }

    /** Why a process of this protocol can't be used; null where it can. */
    static WriterFailure mismatch(int protocol, String versionsJson) {
        if (protocol == PROTOCOL) {
            return null;
        }
        return new WriterFailure(
                WriterFailure.Kind.CONFIGURATION,
                "The Python package speaks protocol "
                        + protocol
                        + ", the jar "
                        + PROTOCOL
                        + ". Install the flink-partition-bridge that belongs to the jar"
                        + " into the writer's interpreter ("
                        + versionsJson
                        + ").");
    }

    public void uploadCreated(int file, String key, String uploadId) {
        receiver.uploadCreated(file, key, uploadId);
    }

    public void snapshotReady(long checkpoint, String summaryJson) {
        receiver.snapshotReady(checkpoint);
    }

    public void restored(String summaryJson) {
        receiver.restored(RestoredFiles.parse(summaryJson));
    }

    public void committed(long checkpoint, String summaryJson) {
        receiver.committed(checkpoint, CommittedFiles.parse(summaryJson));
    }

    public void inserted(String summaryJson) {
        receiver.inserted(InsertedFiles.parse(summaryJson));
    }

    public void insertEnded() {
        receiver.insertEnded();
    }

    public void failed(String kind, String message) {
        receiver.failed(new WriterFailure(WriterFailure.Kind.parse(kind), message));
    }

    public void metrics(String json) {
        receiver.metrics(WriterMetrics.parse(json));
    }

    /** Secret, over loopback and the token only (I12). */
    public String credentials() {
        return ControlJson.write(receiver.credentials());
    }
}
