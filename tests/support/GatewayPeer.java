import java.net.InetAddress;
import java.util.Base64;
import py4j.GatewayServer;

/**
 * The shim's gateway for tests of a real writer process: declares the control calls of docs/protocol.md as the shim does, and prints
 * each as one line, its arguments in base64 so that any text fits. Reads the token from the first line of standard input, ends with it.
 */
public final class GatewayPeer {

    public void hello(int protocol, int pid, String versionsJson) {
        if (protocol != 1) {
            throw new IllegalArgumentException("protocol " + protocol + " is not 1");
        }
        print("hello", protocol, pid, versionsJson);
    }

    public void uploadCreated(int file, String key, String uploadId) {
        print("upload_created", file, key, uploadId);
    }

    public void snapshotReady(long checkpoint, String summaryJson) {
        print("snapshot_ready", checkpoint, summaryJson);
    }

    public void restored(String summaryJson) {
        print("restored", summaryJson);
    }

    public void committed(long checkpoint, String summaryJson) {
        print("committed", checkpoint, summaryJson);
    }

    public void failed(String kind, String message) {
        print("failed", kind, message);
    }

    public void metrics(String json) {
        print("metrics", json);
    }

    /** The keys that the test has put into "credentials.json" of this process' folder. */
    public String credentials() throws java.io.IOException {
        print("credentials");
        return java.nio.file.Files.readString(java.nio.file.Path.of("credentials.json"));
    }

    private static synchronized void print(String name, Object... arguments) {
        StringBuilder line = new StringBuilder(name);
        for (Object argument : arguments) {
            line.append(' ').append(argument instanceof String ? 's' : 'n');
            line.append(Base64.getEncoder().encodeToString(argument.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        }
        System.out.println(line);
        System.out.flush();
    }

    public static void main(String[] arguments) throws Exception {
        var input = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        var server =
                new GatewayServer.GatewayServerBuilder(new GatewayPeer())
                        .javaAddress(InetAddress.getLoopbackAddress())
                        .javaPort(0)
                        .authToken(input.readLine())
                        .build();
        server.start(true);
        print("port", server.getListeningPort());
        input.readLine();
        System.exit(0);
    }
}
