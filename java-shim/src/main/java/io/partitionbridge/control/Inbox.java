package io.partitionbridge.control;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What comes from the writer on both planes, and the one failure that ends every wait.
 *
 * <p>Methods are called on threads of py4j, of the socket and of the process' watch. None of them
 * waits.
 */
final class Inbox implements WriterCalls.Receiver, ReturnFrames.Receiver {

    /** Decides who hears of a failure. */
    enum Phase {
        /** The thread that starts the session, by its hello. */
        STARTING,
        /** The listener, and every waiting thread. */
        RUNNING,
        /** Nobody: the task is ending anyway, and so does the writer. */
        ENDING
    }

    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

    final Answers answers = new Answers();
    final Credit credit = new Credit();

    private final WriterLaunch launch;
    private final WriterSession.FailureListener failures;
    private final WriterSession.ProgressListener progress;
    private final OpenUploads uploads = new OpenUploads();
    private final CompletableFuture<WriterFailure> failure = new CompletableFuture<>();
    private volatile Phase phase = Phase.STARTING;
    private volatile WriterMetrics metrics = WriterMetrics.NONE;

    Inbox(
            WriterLaunch launch,
            WriterSession.FailureListener failures,
            WriterSession.ProgressListener progress) {
        this.launch = launch;
        this.failures = failures;
        this.progress = progress;
    }

    void enter(Phase next) {
        phase = next;
    }

    boolean isEnding() {
        return phase == Phase.ENDING;
    }

    boolean hasFailed() {
        return failure.isDone();
    }

    /** The failure, waiting for it a while; null where there is none. */
    WriterFailure failureWithin(long seconds) {
        try {
            return failure.get(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("The writer of {} has not failed", launch.label(), e);
        }
        return null;
    }

    /** The first failure wins; it fails every wait, now and later (I11). */
    @Override
    public void failed(WriterFailure cause) {
        if (isEnding()) {
            return;
        }
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
            if (phase == Phase.RUNNING) {
                failures.writerFailed(full);
            }
        } finally {
            credit.close(full);
            answers.failTask(full);
        }
    }

    void exited(WriterProcess ended) {
        failed(ended.deathNotice(launch.label()));
    }

    /**
     * The task is ending: every thread that waits for the writer wakes up, and nobody will wait
     * again.
     */
    void endWaits(IOException cause) {
        credit.close(cause);
        answers.failAll(cause);
    }

    String describeUploads() {
        return uploads.describe();
    }

    long oldestUploadAgeMillis() {
        return uploads.oldestAgeMillis();
    }

    WriterMetrics metrics() {
        return metrics;
    }

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
    public void inserted(InsertedFiles files) {
        answers.answer(new Answers.Inserted(), files);
    }

    @Override
    public void insertEnded() {
        answers.answer(new Answers.InsertEnded(), null);
    }

    @Override
    public void metrics(WriterMetrics latest) {
        metrics = latest;
        latest.partMillis().forEach(progress::partStored);
    }

    @Override
    public Map<String, Object> credentials() {
        LOG.debug("{} asks for fresh credentials of the store", launch.label());
        return launch.credentials().get();
    }

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

    @Override
    public void marked(int file, long checkpoint, long tail) {
        progress.marked(file, checkpoint, tail);
    }
}
