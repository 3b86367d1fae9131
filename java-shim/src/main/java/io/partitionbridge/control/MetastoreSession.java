package io.partitionbridge.control;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One process that talks to a metastore, and what the task asks of it.
 *
 * <pre>
 *   task thread ── ask ──► requests ◄── next · answered ── process ──► metastore
 * </pre>
 *
 * <p>The first failure wins and fails every wait, now and later: the process' exit or its call of
 * failed(). {@link #cancel} does the same without calling it the process' failure.
 */
public final class MetastoreSession implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MetastoreSession.class);

    private final WriterLaunch launch;
    private final WriterSession.FailureListener failures;
    private final MetastoreRequests requests = new MetastoreRequests();
    private WriterGateway gateway;
    private WriterProcess process;
    private boolean over;

    private MetastoreSession(WriterLaunch launch, WriterSession.FailureListener failures) {
        this.launch = launch;
        this.failures = failures;
    }

    /** Starts the process and doesn't wait for it: what it can't do fails what is asked of it. */
    public static MetastoreSession start(
            WriterLaunch launch, WriterSession.FailureListener failures)
            throws IOException, InterruptedException {
        MetastoreSession session = new MetastoreSession(launch, failures);
        try {
            session.connect();
            return session;
        } catch (Throwable e) {
            session.close();
            throw e;
        }
    }

    private void connect() throws IOException, InterruptedException {
        String token = WriterGateway.newToken();
        gateway = WriterGateway.start(new MetastoreCalls(this, requests), token);
        process =
                WriterProcess.start(
                        "metastore",
                        launch.command(),
                        launch.environment(),
                        launch.bootstrap(gateway.port(), token),
                        this::exited);
    }

    /**
     * Fails the future with a {@link WriterFailure} where the process can't say.
     *
     * @param what one of the questions of docs/protocol.md
     */
    public CompletableFuture<String> ask(String what, Map<String, Object> arguments) {
        return requests.ask(what, arguments);
    }

    /** Waits for an answer. The process bounds its retries, so nothing is bounded here. */
    public static String await(CompletableFuture<String> answer) throws IOException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw WriterFailure.forWaiter(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted =
                    new InterruptedIOException("interrupted while waiting for the metastore");
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    void greeted(int pid, String versions) {
        LOG.info("Metastore process {} of {} is ready: {}", pid, launch.label(), versions);
    }

    Map<String, Object> credentials() {
        return launch.credentials().get();
    }

    private void exited(WriterProcess ended) {
        failed(ended.deathNotice(launch.label()));
    }

    void failed(WriterFailure cause) {
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
        }
        // The task hears it first, so that this is its first failure and not what it leads to.
        try {
            failures.writerFailed(cause);
        } finally {
            requests.fail(cause);
        }
    }

    /** Wakes a waiting task that is being cancelled. */
    public void cancel() {
        synchronized (this) {
            over = true;
        }
        requests.fail(new IOException("The task of " + launch.label() + " was cancelled."));
    }

    /** Lets the process end by itself, and ends it where it doesn't in time. */
    @Override
    public void close() {
        cancel();
        requests.end();
        try {
            if (process != null && !process.waitFor(launch.shutdownLimit().toSeconds())) {
                LOG.warn(
                        "Metastore process {} of {} didn't end within {} s and is ended now.",
                        process.pid(),
                        launch.label(),
                        launch.shutdownLimit().toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (process != null) {
                process.end();
            }
            if (gateway != null) {
                gateway.close();
            }
        }
    }
}
