package io.partitionbridge.control;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One writer process and both planes to it.
 *
 * <pre>
 *   task thread ── frames ──► writer ── control calls, return frames ──► Answers ──► waiting threads
 * </pre>
 *
 * <p>The first failure wins and fails every wait of the task's thread, now and later: the process'
 * exit, a call of failed(), a broken socket. {@link #cancel}, which comes of it, ends those of
 * snapshots, too.
 */
public final class WriterSession implements FrameSink, AutoCloseable {

    /** Told once if the writer fails while it should not; on a thread of the session. */
    public interface FailureListener {
        void writerFailed(WriterFailure failure);
    }

    /** Told on the reader's thread how many bytes of a file are encoded. */
    public interface ProgressListener {
        void progress(int file, long encodedBytes);

        /** So many bytes of an open file are in the checkpoint's state. */
        default void marked(int file, long checkpoint, long tail) {}

        /** A part has come to the store in so many milliseconds; on a thread of py4j. */
        default void partStored(long millis) {}
    }

    private static final Logger LOG = LoggerFactory.getLogger(WriterSession.class);

    private final WriterLaunch launch;
    private final Inbox inbox;
    private final Answers answers;
    private final WriterConnection connection;
    private volatile boolean cancelled;

    private WriterSession(WriterLaunch launch, Inbox inbox, WriterConnection connection) {
        this.launch = launch;
        this.inbox = inbox;
        this.answers = inbox.answers;
        this.connection = connection;
    }

    /**
     * Starts the process and waits for its hello.
     *
     * @throws WriterFailure when it can't start, ends before its hello or doesn't come in time
     */
    public static WriterSession start(
            WriterLaunch launch, FailureListener failures, ProgressListener progress)
            throws IOException, InterruptedException {
        Inbox inbox = new Inbox(launch, failures, progress);
        return new WriterSession(launch, inbox, WriterConnection.open(launch, inbox));
    }

    // ------------------------------------------------------------- frames to the writer

    @Override
    public void send(ByteBuffer frame) throws IOException {
        try {
            connection.channel().send(frame);
        } catch (IOException e) {
            throw reasonOf(e);
        }
    }

    @Override
    public void sendBatch(int file, int rows, long length, List<ByteBuffer> message)
            throws IOException {
        sendData(length, Frames.batchHead(file, rows, length), message);
    }

    @Override
    public void sendBytes(int file, int rows, ByteBuffer bytes) throws IOException {
        long length = bytes.remaining();
        sendData(length, Frames.bytesHead(file, rows, length), List.of(bytes));
    }

    private void sendData(long length, ByteBuffer head, List<ByteBuffer> content)
            throws IOException {
        try {
            connection.channel().sendData(length, head, content);
        } catch (IOException e) {
            throw reasonOf(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /**
     * Seals the files of a checkpoint.
     *
     * @param files that were closed since the barrier before
     * @param stillOpen that take more rows after this barrier
     * @return completes when the writer has every byte of them in parts or inline (I1)
     */
    public CompletableFuture<Void> barrier(
            long checkpoint, boolean savepoint, int[] files, int[] stillOpen) throws IOException {
        CompletableFuture<Void> ready = answers.expect(new Answers.SnapshotReady(checkpoint));
        send(Frames.barrier(checkpoint, savepoint, files, stillOpen));
        return ready;
    }

    /** Completes the files of all barriers up to a checkpoint and waits until they are visible. */
    public CommittedFiles commit(long checkpoint) throws IOException {
        CompletableFuture<CommittedFiles> answer =
                answers.expect(new Answers.Committed(checkpoint));
        send(Frames.commit(checkpoint));
        return await(answer);
    }

    /** The checkpoint will not complete: whoever serializes it stops waiting. */
    public void aborted(long checkpoint) throws IOException {
        answers.fail(
                question ->
                        question.equals(new Answers.SnapshotReady(checkpoint))
                                || question instanceof Answers.Entry entry
                                        && entry.checkpoint() == checkpoint,
                new IOException("Checkpoint " + checkpoint + " was aborted."));
        send(Frames.aborted(checkpoint));
    }

    /** Completes the pending entries of the restored checkpoint and waits for it. */
    public RestoredFiles restore(List<byte[]> entries) throws IOException {
        CompletableFuture<RestoredFiles> answer = answers.expect(new Answers.Restored());
        sendEntries(entries);
        return await(answer);
    }

    private void sendEntries(List<byte[]> entries) throws IOException {
        for (int i = 0; i < entries.size(); i++) {
            send(Frames.restore(i, entries.get(i)));
        }
        send(Frames.restoreEnd(entries.size()));
    }

    /** Commits a batch insert and waits until its files are visible; may be repeated. */
    public InsertedFiles insert(InsertCommit insert, List<byte[]> entries) throws IOException {
        CompletableFuture<InsertedFiles> answer = answers.expect(new Answers.Inserted());
        send(Frames.insert(insert));
        sendEntries(entries);
        return await(answer);
    }

    /** Nothing of the insert is left to be done: what a repetition would need is removed. */
    public void endInsert() throws IOException {
        CompletableFuture<Void> answer = answers.expect(new Answers.InsertEnded());
        send(Frames.insertEnd());
        await(answer);
    }

    /**
     * The state entry of a file, for the asynchronous part of a snapshot.
     *
     * @param ready of the checkpoint's {@link #barrier}
     * @return the entry, empty if the file is completed already
     */
    public byte[] entry(int file, long checkpoint, CompletableFuture<Void> ready)
            throws IOException {
        await(ready);
        CompletableFuture<byte[]> answer = answers.expect(new Answers.Entry(file, checkpoint));
        try {
            connection.channel().send(Frames.pull(file, checkpoint));
        } catch (IOException broken) {
            // The writer's end comes of it, or has caused it; the task fails of that, not of this.
            LOG.debug("Entry {} of checkpoint {} couldn't be asked for", file, checkpoint, broken);
        }
        return await(answer);
    }

    public WriterMetrics metrics() {
        return inbox.metrics();
    }

    /** Of the upload that waits longest for its completion; 0 where none does. */
    public long oldestUploadAgeMillis() {
        return inbox.oldestUploadAgeMillis();
    }

    // ------------------------------------------------------------- waiting and failing

    /** No timeout: the checkpoint's, the job's or the writer's end is the limit. */
    private <T> T await(CompletableFuture<T> answer) throws IOException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw WriterFailure.forWaiter(e.getCause());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** A broken socket is a symptom; the process' end says why. */
    private IOException reasonOf(IOException broken) {
        if (cancelled || inbox.isEnding()) {
            return broken;
        }
        WriterFailure known = inbox.failureWithin(2 * WriterConnection.EXIT_AFTER_SOCKET_SECONDS);
        return known == null ? broken : new WriterFailure(known.kind(), known.getMessage(), broken);
    }

    private static IOException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        InterruptedIOException exception =
                new InterruptedIOException("interrupted while waiting for the writer");
        exception.initCause(cause);
        return exception;
    }

    /** Wakes every waiting thread, for a task that is being cancelled. */
    public void cancel() {
        cancelled = true;
        inbox.endWaits(new IOException("The task of " + launch.label() + " was cancelled."));
    }

    /**
     * Asks the writer to abort the uploads that no barrier has named and to exit (I6), and ends it
     * if it doesn't in time. Nothing is published (I2). No exception: the task is ending anyway.
     */
    @Override
    public void close() {
        inbox.enter(Inbox.Phase.ENDING);
        cancel();
        WriterProcess process = connection.process();
        if (!inbox.hasFailed() && process.isAlive()) {
            try {
                connection.channel().send(Frames.shutdown());
                if (!process.waitFor(launch.shutdownLimit().toSeconds())) {
                    LOG.warn(
                            "Writer {} of {} didn't end within {} s and is ended now. {}",
                            process.pid(),
                            launch.label(),
                            launch.shutdownLimit().toSeconds(),
                            inbox.describeUploads());
                }
            } catch (IOException e) {
                LOG.warn("Writer {} took no orderly shutdown", process.pid(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        connection.close();
    }
}
