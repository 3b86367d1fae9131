package io.partitionbridge.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both doors of a session on a machine that others use too (I12). */
class LoopbackTest {

    private static final String TOKEN = "5e".repeat(32);

    @Test
    @DisplayName("The socket's folder is for the TaskManager's user alone.")
    void socketFolder() throws Exception {
        try (ListeningSocket socket = ListeningSocket.bind(Map.of())) {
            Path folder = Path.of((String) socket.address()).getParent();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                    .as("0700")
                    .isEqualTo("rwx------");
        }
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "c\nt\ncredentials\ne\n",
                "A\nwrong\nc\nt\ncredentials\ne\n",
                "A\n\nc\nt\ncredentials\ne\n"
            })
    @DisplayName("The gateway answers no call of a peer that doesn't know the token.")
    void gatewayWithoutToken(String commands) throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        WriterCalls.Receiver receiver =
                (WriterCalls.Receiver)
                        Proxy.newProxyInstance(
                                getClass().getClassLoader(),
                                new Class<?>[] {WriterCalls.Receiver.class},
                                (proxy, method, arguments) -> {
                                    heard.add(method.getName());
                                    return Map.of("secret_key", "planted");
                                });
        try (WriterGateway gateway = WriterGateway.start(new WriterCalls(receiver), TOKEN)) {
            assertThat(answer(gateway.port(), "A\n" + TOKEN + "\nc\nt\ncredentials\ne\n"))
                    .as("with the token")
                    .contains("planted");
            heard.clear();

            assertThat(answer(gateway.port(), commands)).doesNotContain("planted");
            assertThat(heard).as("no call came through").isEmpty();
        }
    }

    /** What the gateway says to the first two commands, or until it drops the connection. */
    private static String answer(int port, String commands) throws Exception {
        StringBuilder answer = new StringBuilder();
        try (Socket peer = new Socket(InetAddress.getLoopbackAddress(), port)) {
            peer.setSoTimeout(10_000);
            peer.getOutputStream().write(commands.getBytes(StandardCharsets.UTF_8));
            InputStream input = peer.getInputStream();
            for (int lines = 0; lines < 2; ) {
                int next = input.read();
                if (next < 0) {
                    break;
                }
                answer.append((char) next);
                lines += next == '\n' ? 1 : 0;
            }
        } catch (SocketException dropped) {
            answer.append(" dropped");
        }
        return answer.toString();
    }
}
