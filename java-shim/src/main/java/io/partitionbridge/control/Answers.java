package io.partitionbridge.control;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * What the shim waits for, by question.
 *
 * <p>Every future that was ever handed out completes: by its answer, by {@link #fail(Predicate,
 * Throwable)} when its checkpoint is aborted, by {@link #failTask} when the writer is gone, or by
 * {@link #failAll} when the task is cancelled. Flink has one thread per task for asynchronous
 * snapshots, and a forgotten future would block every later checkpoint.
 */
final class Answers {

    /** A question whose answer is of type T. */
    interface Question<T> {}

    record Hello() implements Question<Void> {}

    record Restored() implements Question<RestoredFiles> {}

    record SnapshotReady(long checkpoint) implements Question<Void> {}

    record Entry(int file, long checkpoint) implements Question<byte[]> {}

    record Committed(long checkpoint) implements Question<CommittedFiles> {}

    record Inserted() implements Question<InsertedFiles> {}

    record InsertEnded() implements Question<Void> {}

    private final Map<Question<?>, CompletableFuture<?>> open = new HashMap<>();
    private Throwable failure;
    private boolean ending;

    @SuppressWarnings("unchecked")
    synchronized <T> CompletableFuture<T> expect(Question<T> question) {
        if (failure != null && (ending || !ofSnapshot(question))) {
            return CompletableFuture.failedFuture(failure);
        }
        return (CompletableFuture<T>)
                open.computeIfAbsent(question, q -> new CompletableFuture<T>());
    }

    /** An answer to a question that nobody asks any more is dropped. */
    <T> void answer(Question<T> question, T value) {
        CompletableFuture<T> future = remove(question);
        if (future != null) {
            future.complete(value);
        }
    }

    void fail(Predicate<Question<?>> which, Throwable cause) {
        List<Question<?>> matching;
        synchronized (this) {
            matching = open.keySet().stream().filter(which).toList();
        }
        for (Question<?> question : matching) {
            CompletableFuture<?> future = remove(question);
            if (future != null) {
                future.completeExceptionally(cause);
            }
        }
    }

    /**
     * The writer is gone: fails every wait, now and later, but for snapshots.
     *
     * <p>Those, and a batch insert's for the same answers, go on until the task is cancelled, which
     * is what comes of it. Were they failed now, the checkpoint would be declined at once, and
     * Flink would show that the job failed of a declined checkpoint, and nowhere why.
     */
    void failTask(Throwable cause) {
        synchronized (this) {
            if (failure == null) {
                failure = cause;
            }
        }
        fail(question -> !ofSnapshot(question), cause);
    }

    /** The task is ending: fails what is open and whatever will be asked. */
    void failAll(Throwable cause) {
        synchronized (this) {
            ending = true;
        }
        failTask(cause);
        fail(question -> true, cause);
    }

    private static boolean ofSnapshot(Question<?> question) {
        return question instanceof SnapshotReady || question instanceof Entry;
    }

    @SuppressWarnings("unchecked")
    private synchronized <T> CompletableFuture<T> remove(Question<T> question) {
        return (CompletableFuture<T>) open.remove(question);
    }
}
