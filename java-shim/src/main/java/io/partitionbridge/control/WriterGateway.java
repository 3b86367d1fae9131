package io.partitionbridge.control;

import java.io.IOException;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import py4j.GatewayServer;

/**
 * The py4j server that one process of the bridge drives: loopback, a free port, a token.
 *
 * <p>py4j makes threads that aren't daemons and that hold the job's class loader. They inherit
 * group and daemon flag from the thread that starts them, so a group of our own finds them all at
 * the end.
 */
final class WriterGateway implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(WriterGateway.class);
    private static final long JOIN_MILLIS = 5_000;

    private final GatewayServer server;
    private final ThreadGroup threads;

    private WriterGateway(GatewayServer server, ThreadGroup threads) {
        this.server = server;
        this.threads = threads;
    }

    /** A secret of one process: who has it may call its gateway. */
    static String newToken() {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        return HexFormat.of().formatHex(secret);
    }

    static WriterGateway start(Object calls, String token)
            throws IOException, InterruptedException {
        GatewayServer server =
                new GatewayServer.GatewayServerBuilder()
                        .entryPoint(calls)
                        .javaAddress(InetAddress.getLoopbackAddress())
                        .javaPort(0)
                        .authToken(token)
                        .build();
        ThreadGroup threads = new ThreadGroup("partition-bridge-gateway");
        Throwable[] failure = new Throwable[1];
        Thread starter = new Thread(threads, () -> server.start(true), "partition-bridge-gateway");
        starter.setDaemon(true);
        starter.setUncaughtExceptionHandler((thread, cause) -> failure[0] = cause);
        starter.setContextClassLoader(WriterGateway.class.getClassLoader());
        starter.start();
        starter.join();
        if (failure[0] != null) {
            throw new IOException("The control gateway can't listen on loopback.", failure[0]);
        }
        return new WriterGateway(server, threads);
    }

    int port() {
        return server.getListeningPort();
    }

    @Override
    public void close() {
        server.shutdown();
        Thread[] running = new Thread[threads.activeCount() + 8];
        int count = threads.enumerate(running);
        long deadline = System.currentTimeMillis() + JOIN_MILLIS;
        try {
            for (int i = 0; i < count; i++) {
                if (running[i] != Thread.currentThread()) {
                    running[i].join(Math.max(1, deadline - System.currentTimeMillis()));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (threads.activeCount() > 0) {
            LOG.warn("{} threads of the control gateway still run.", threads.activeCount());
        }
    }
}
