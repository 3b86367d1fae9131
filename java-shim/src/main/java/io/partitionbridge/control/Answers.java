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
 * Throwable)} when its checkpoint is aborted, or by {@link #failAll} when the writer is gone or the
 * task is cancelled. Flink has one thread per task for asynchronous snapshots, and a forgotten
 * future would block every later checkpoint.
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

    @SuppressWarnings("unchecked")
    synchronized <T> CompletableFuture<T> expect(Question<T> question) {
        if (failure != null) {
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

    /** Fails what is open and whatever will be asked. */
    void failAll(Throwable cause) {
        synchronized (this) {
            if (failure == null) {
                failure = cause;
            }
        }
        fail(question -> true, cause);
    }

    @SuppressWarnings("unchecked")
    private synchronized <T> CompletableFuture<T> remove(Question<T> question) {
        return (CompletableFuture<T>) open.remove(question);
    }
}
