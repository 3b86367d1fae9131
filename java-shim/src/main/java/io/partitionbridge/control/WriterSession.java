package io.partitionbridge.control;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One writer process and both planes to it.
 *
 * <pre>
 *   task thread ── frames ──► writer ── control calls, return frames ──► Answers ──► waiting threads
 * </pre>
 *
 * <p>The first failure wins and fails every wait, now and later: the process' exit, a call of
 * failed(), a broken socket. {@link #cancel} does the same without calling it the writer's failure.
 */
public final class WriterSession implements FrameSink, AutoCloseable {

    /** Told once if the writer fails while it should not; on a thread of the session. */
    public interface FailureListener {
        void writerFailed(WriterFailure failure);
    }

    /** Told on the reader's thread how many bytes of a file are encoded. */
    public interface ProgressListener {
        void progress(int file, long encodedBytes);
    }

    private static final Logger LOG = LoggerFactory.getLogger(WriterSession.class);
    private static final long EXIT_AFTER_SOCKET_SECONDS = 5;

    private final WriterLaunch launch;
    private final FailureListener failures;
    private final ProgressListener progress;
    private final Answers answers = new Answers();
    private final Credit credit = new Credit();
    private final OpenUploads uploads = new OpenUploads();
    private final CompletableFuture<WriterFailure> failure = new CompletableFuture<>();

    private WriterGateway gateway;
    private WriterProcess process;
    private DataChannel channel;
    private volatile boolean started;
    private volatile boolean closing;
    private volatile WriterMetrics metrics = WriterMetrics.NONE;

    private WriterSession(
            WriterLaunch launch, FailureListener failures, ProgressListener progress) {
        this.launch = launch;
        this.failures = failures;
        this.progress = progress;
    }

    /**
     * Starts the process and waits for its hello.
     *
     * @throws WriterFailure when it can't start, ends before its hello or doesn't come in time
     */
    public static WriterSession start(
            WriterLaunch launch, FailureListener failures, ProgressListener progress)
            throws IOException, InterruptedException {
        WriterSession session = new WriterSession(launch, failures, progress);
        try {
            session.connect();
            session.started = true;
            return session;
        } catch (IOException | InterruptedException | RuntimeException e) {
            session.closing = true;
            session.release();
            throw e;
        }
    }

    private void connect() throws IOException, InterruptedException {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        String token = HexFormat.of().formatHex(secret);
        CompletableFuture<Void> hello = answers.expect(new Answers.Hello());
        gateway = WriterGateway.start(new WriterCalls(new Calls()), token);
        long deadline = System.nanoTime() + launch.startLimit().toNanos();
        try (ListeningSocket socket = ListeningSocket.bind(launch.environment())) {
            process =
                    WriterProcess.start(
                            launch.command(),
                            launch.environment(),
                            launch.bootstrap(socket.address(), gateway.port(), token),
                            this::exited);
            SocketChannel peer =
                    socket.accept(
                            token,
                            launch.startLimit(),
                            () -> process.isAlive() && !failure.isDone());
            if (peer != null) {
                channel =
                        new DataChannel(
                                peer,
                                credit,
                                new Returns(),
                                this::socketEnded,
                                "partition-bridge-reader-" + process.pid());
            }
        }
        if (channel == null && process.isAlive() && !failure.isDone()) {
            throw startTimedOut();
        }
        try {
            hello.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw startTimedOut();
        } catch (ExecutionException e) {
            throw asFailure(e.getCause());
        }
    }

    private WriterFailure startTimedOut() {
        return new WriterFailure(
                WriterFailure.Kind.RETRY,
                "The writer process of "
                        + launch.label()
                        + " didn't connect within "
                        + launch.startLimit().toSeconds()
                        + " s. Last words:\n"
                        + process.lastWords());
    }

    // ------------------------------------------------------------- frames to the writer

    @Override
    public void send(ByteBuffer frame) throws IOException {
        try {
            channel.send(frame);
        } catch (IOException e) {
            throw reasonOf(e);
        }
    }

    @Override
    public void sendBatch(int file, int rows, long length, List<ByteBuffer> message)
            throws IOException {
        try {
            channel.sendBatch(file, rows, length, message);
        } catch (IOException e) {
            throw reasonOf(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /**
     * Seals the files of a checkpoint.
     *
     * @return completes when the writer has every byte of them in parts or inline (I1)
     */
    public CompletableFuture<Void> barrier(long checkpoint, boolean savepoint, int[] files)
            throws IOException {
        CompletableFuture<Void> ready = answers.expect(new Answers.SnapshotReady(checkpoint));
        send(Frames.barrier(checkpoint, savepoint, files));
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
        for (int i = 0; i < entries.size(); i++) {
            send(Frames.restore(i, entries.get(i)));
        }
        send(Frames.restoreEnd(entries.size()));
        return await(answer);
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
        send(Frames.pull(file, checkpoint));
        return await(answer);
    }

    public WriterMetrics metrics() {
        return metrics;
    }

    // ------------------------------------------------------------- waiting and failing

    /** No timeout: the checkpoint's, the job's or the writer's end is the limit. */
    private <T> T await(CompletableFuture<T> answer) throws IOException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw asFailure(e.getCause());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IOException asFailure(Throwable cause) {
        if (cause instanceof WriterFailure known) {
            // A new exception: the trace of the waiting thread is the one that helps.
            return new WriterFailure(known.kind(), known.getMessage(), known);
        }
        return new IOException(cause.getMessage(), cause);
    }

    /** A broken socket is a symptom; the process' end says why. */
    private IOException reasonOf(IOException broken) {
        if (!closing) {
            try {
                WriterFailure known = failure.get(2 * EXIT_AFTER_SOCKET_SECONDS, TimeUnit.SECONDS);
                return new WriterFailure(known.kind(), known.getMessage(), broken);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                LOG.debug("No failure of the writer explains the broken socket", e);
            }
        }
        return broken;
    }

    private static IOException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        InterruptedIOException exception =
                new InterruptedIOException("interrupted while waiting for the writer");
        exception.initCause(cause);
        return exception;
    }

    private void exited(WriterProcess ended) {
        if (!closing) {
            fail(
                    DeathNotice.of(
                            launch.label(),
                            launch.command().get(0),
                            ended.exitCode(),
                            ended.lastWords()));
        }
    }

    private void socketEnded(IOException broken) {
        try {
            if (closing || process.waitFor(EXIT_AFTER_SOCKET_SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!closing) {
            fail(
                    new WriterFailure(
                            WriterFailure.Kind.RETRY,
                            "The writer process of "
                                    + launch.label()
                                    + " lives, but its socket is broken: "
                                    + (broken == null ? "closed by the writer" : broken),
                            broken));
        }
    }

    private void fail(WriterFailure cause) {
        WriterFailure full =
                new WriterFailure(
                        cause.kind(), cause.getMessage() + "\n" + uploads.describe(), cause);
        if (!failure.complete(full)) {
            return;
        }
        if (uploads.count() > 0) {
            LOG.warn(
                    "The writer of {} failed with open uploads. Those of a completed checkpoint are"
                            + " completed after the restart; 'partition-bridge orphans' finds the"
                            + " rest:{}",
                    launch.label(),
                    uploads.listAll());
        }
        // The task hears it first, so that this is its first failure and not what it leads to.
        try {
            if (started) {
                failures.writerFailed(full);
            }
        } finally {
            credit.close(full);
            answers.failAll(full);
        }
    }

    /** Wakes every waiting thread, for a task that is being cancelled. */
    public void cancel() {
        IOException cause = new IOException("The task of " + launch.label() + " was cancelled.");
        credit.close(cause);
        answers.failAll(cause);
    }

    /**
     * Asks the writer to abort the uploads that no barrier has named and to exit (I6), and ends it
     * if it doesn't in time. Nothing is published (I2). No exception: the task is ending anyway.
     */
    @Override
    public void close() {
        closing = true;
        cancel();
        if (!failure.isDone() && process.isAlive()) {
            try {
                channel.send(Frames.shutdown());
                if (!process.waitFor(launch.shutdownLimit().toSeconds())) {
                    LOG.warn(
                            "Writer {} of {} didn't end within {} s and is ended now. {}",
                            process.pid(),
                            launch.label(),
                            launch.shutdownLimit().toSeconds(),
                            uploads.describe());
                }
            } catch (IOException e) {
                LOG.warn("Writer {} took no orderly shutdown", process.pid(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        release();
    }

    private void release() {
        if (process != null) {
            process.end();
        }
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                LOG.debug("socket of {} was broken already", launch.label(), e);
            }
        }
        if (gateway != null) {
            gateway.close();
        }
    }

    private final class Calls implements WriterCalls.Receiver {

        @Override
        public void hello(int pid, String versions) {
            LOG.info("Writer {} of {} is ready: {}", pid, launch.label(), versions);
            answers.answer(new Answers.Hello(), null);
        }

        @Override
        public void uploadCreated(int file, String key, String uploadId) {
            uploads.created(file, key, uploadId);
        }

        @Override
        public void snapshotReady(long checkpoint) {
            answers.answer(new Answers.SnapshotReady(checkpoint), null);
        }

        @Override
        public void restored(RestoredFiles files) {
            answers.answer(new Answers.Restored(), files);
        }

        @Override
        public void committed(long checkpoint, CommittedFiles files) {
            uploads.committed(files);
            answers.answer(new Answers.Committed(checkpoint), files);
        }

        @Override
        public void failed(WriterFailure cause) {
            if (!closing) {
                fail(cause);
            }
        }

        @Override
        public void metrics(WriterMetrics latest) {
            metrics = latest;
        }
    }

    private final class Returns implements ReturnFrames.Receiver {

        @Override
        public void credit(long bytes) {
            credit.grant(bytes);
        }

        @Override
        public void state(int file, long checkpoint, byte[] entry) {
            answers.answer(new Answers.Entry(file, checkpoint), entry);
        }

        @Override
        public void progress(int file, long encodedBytes) {
            progress.progress(file, encodedBytes);
        }
    }
}
