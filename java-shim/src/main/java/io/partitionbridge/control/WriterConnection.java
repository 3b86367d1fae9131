package io.partitionbridge.control;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process of a writer, its socket and its gateway: made together, ended together.
 *
 * <pre>
 *   gateway ─► socket ─► process ─► accept ─► hello
 * </pre>
 */
final class WriterConnection implements AutoCloseable {

    /** A writer that closes its socket ends by itself; its exit says more than the socket. */
    static final long EXIT_AFTER_SOCKET_SECONDS = 5;

    private static final Logger LOG = LoggerFactory.getLogger(WriterConnection.class);

    private final WriterLaunch launch;
    private final Inbox inbox;

    private WriterGateway gateway;
    private WriterProcess process;
    private DataChannel channel;

    private WriterConnection(WriterLaunch launch, Inbox inbox) {
        this.launch = launch;
        this.inbox = inbox;
    }

    /**
     * Starts the process and waits for its hello. Where that fails, nothing is left.
     *
     * @throws WriterFailure when it can't start, ends before its hello or doesn't come in time
     */
    static WriterConnection open(WriterLaunch launch, Inbox inbox)
            throws IOException, InterruptedException {
        WriterConnection connection = new WriterConnection(launch, inbox);
        try {
            connection.connect();
            inbox.enter(Inbox.Phase.RUNNING);
            if (inbox.hasFailed()) {
                // Between its hello and now, when no listener was told.
                throw inbox.failureWithin(0);
            }
            return connection;
        } catch (Throwable e) {
            inbox.enter(Inbox.Phase.ENDING);
            connection.close();
            throw e;
        }
    }

    private void connect() throws IOException, InterruptedException {
        String token = WriterGateway.newToken();
        CompletableFuture<Void> hello = inbox.answers.expect(new Answers.Hello());
        gateway = WriterGateway.start(new WriterCalls(inbox), token);
        long deadline = System.nanoTime() + launch.startLimit().toNanos();
        try (ListeningSocket socket = ListeningSocket.bind(launch.environment())) {
            process =
                    WriterProcess.start(
                            "writer",
                            launch.command(),
                            launch.environment(),
                            launch.bootstrap(socket.address(), gateway.port(), token),
                            inbox::exited);
            SocketChannel peer =
                    socket.accept(
                            token,
                            launch.startLimit(),
                            () -> process.isAlive() && !inbox.hasFailed());
            if (peer != null) {
                channel =
                        new DataChannel(
                                peer,
                                inbox.credit,
                                inbox,
                                this::socketEnded,
                                "partition-bridge-reader-" + process.pid());
            }
        }
        if (channel == null && process.isAlive() && !inbox.hasFailed()) {
            throw startTimedOut();
        }
        try {
            hello.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw startTimedOut();
        } catch (ExecutionException e) {
            throw WriterFailure.forWaiter(e.getCause());
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

    private void socketEnded(IOException broken) {
        try {
            if (inbox.isEnding() || process.waitFor(EXIT_AFTER_SOCKET_SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        inbox.failed(
                new WriterFailure(
                        WriterFailure.Kind.RETRY,
                        "The writer process of "
                                + launch.label()
                                + " lives, but its socket is broken: "
                                + (broken == null ? "closed by the writer" : broken),
                        broken));
    }

    WriterProcess process() {
        return process;
    }

    DataChannel channel() {
        return channel;
    }

    /** Ends the process, orderly or not, before what it is connected to. */
    @Override
    public void close() {
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
}
