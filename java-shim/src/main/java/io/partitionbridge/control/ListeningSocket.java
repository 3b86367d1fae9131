package io.partitionbridge.control;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the writer connects: a Unix socket in a folder that only this user may enter, or else a TCP
 * port on loopback. The peer proves itself by the token.
 */
final class ListeningSocket implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ListeningSocket.class);

    /** Unix socket paths end at 108 bytes; temporary folders of YARN are longer. */
    private static final int LONGEST_PATH = 100;

    private static final Duration HANDSHAKE_LIMIT = Duration.ofSeconds(10);
    private static final long POLL_MILLIS = 50;

    private final ServerSocketChannel server;
    private final Path folder;
    private final Object address;

    private ListeningSocket(ServerSocketChannel server, Path folder, Object address) {
        this.server = server;
        this.folder = folder;
        this.address = address;
    }

    static ListeningSocket bind(Map<String, String> environment) throws IOException {
        for (String base : shortFolders(environment)) {
            Path folder = null;
            try {
                folder =
                        Files.createTempDirectory(
                                Path.of(base),
                                "pb-",
                                PosixFilePermissions.asFileAttribute(
                                        PosixFilePermissions.fromString("rwx------")));
                Path path = folder.resolve("s");
                if (path.toString().getBytes(StandardCharsets.UTF_8).length < LONGEST_PATH) {
                    ServerSocketChannel server =
                            ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                    server.bind(UnixDomainSocketAddress.of(path));
                    return new ListeningSocket(server, folder, path.toString());
                }
            } catch (IOException | UnsupportedOperationException e) {
                LOG.debug("No Unix socket below {}", base, e);
            }
            remove(folder);
        }
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return new ListeningSocket(
                server, null, ((InetSocketAddress) server.getLocalAddress()).getPort());
    }

    private static List<String> shortFolders(Map<String, String> environment) {
        List<String> folders = new ArrayList<>();
        if (environment.get("XDG_RUNTIME_DIR") != null) {
            folders.add(environment.get("XDG_RUNTIME_DIR"));
        }
        folders.addAll(List.of("/tmp", System.getProperty("java.io.tmpdir"), "/dev/shm"));
        return folders;
    }

    /** A path, or a port as an Integer; as the writer's configuration gives it. */
    Object address() {
        return address;
    }

    /**
     * Waits for the peer that knows the token; others are dropped.
     *
     * @param alive whether waiting still makes sense
     * @return the connection, or null when the limit has passed or alive says no
     */
    SocketChannel accept(String token, Duration limit, BooleanSupplier alive)
            throws IOException, InterruptedException {
        server.configureBlocking(false);
        long deadline = System.nanoTime() + limit.toNanos();
        try (Selector selector = Selector.open()) {
            server.register(selector, SelectionKey.OP_ACCEPT);
            while (alive.getAsBoolean() && System.nanoTime() < deadline) {
                selector.select(POLL_MILLIS);
                selector.selectedKeys().clear();
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted while the writer was starting");
                }
                SocketChannel peer = server.accept();
                if (peer != null) {
                    if (knowsToken(peer, token)) {
                        peer.configureBlocking(true);
                        return peer;
                    }
                    LOG.warn("A peer that doesn't know the token was dropped.");
                    peer.close();
                }
            }
            return null;
        }
    }

    private static boolean knowsToken(SocketChannel peer, String token) throws IOException {
        byte[] secret = token.getBytes(StandardCharsets.UTF_8);
        ByteBuffer expected = ByteBuffer.allocate(4 + secret.length);
        expected.putInt(secret.length).put(secret).flip();
        ByteBuffer given = ByteBuffer.allocate(expected.remaining());
        peer.configureBlocking(false);
        long deadline = System.nanoTime() + HANDSHAKE_LIMIT.toNanos();
        try (Selector selector = Selector.open()) {
            peer.register(selector, SelectionKey.OP_READ);
            while (given.hasRemaining() && System.nanoTime() < deadline) {
                selector.select(POLL_MILLIS);
                selector.selectedKeys().clear();
                if (Thread.currentThread().isInterrupted() || peer.read(given) < 0) {
                    return false;
                }
            }
        }
        return MessageDigest.isEqual(expected.array(), given.array());
    }

    /** Stops listening and leaves nothing in the file system; the accepted connection lives on. */
    @Override
    public void close() throws IOException {
        server.close();
        remove(folder);
    }

    private static void remove(Path folder) {
        if (folder == null) {
            return;
        }
        try {
            Files.deleteIfExists(folder.resolve("s"));
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            LOG.warn("The socket's folder {} was not removed.", folder, e);
        }
    }
}
