package io.partitionbridge.control;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * How to start a writer, or the process that talks to a metastore.
 *
 * @param command interpreter and arguments
 * @param environment of the TaskManager; the writer inherits an allow-list of it
 * @param configuration the bootstrap object but for what the session adds: protocol, socket,
 *     gateway_port, token
 * @param credentials access_key, secret_key and session_token as Flink's configuration has them
 *     now; asked for when the store says that those of the configuration above have expired
 * @param startLimit from the start of the process to its hello
 * @param shutdownLimit for an orderly end, in which it aborts the uploads that no barrier has named
 * @param label subtask and table, for messages and thread names
 */
public record WriterLaunch(
        List<String> command,
        Map<String, String> environment,
        Map<String, Object> configuration,
        Supplier<Map<String, Object>> credentials,
        Duration startLimit,
        Duration shutdownLimit,
        String label) {

    /** The one line that the writer reads from standard input (docs/protocol.md, "Start"). */
    String bootstrap(Object socketAddress, int gatewayPort, String token) {
        return line(Map.of("socket", socketAddress), gatewayPort, token);
    }

    /** The same for a process without a data plane. */
    String bootstrap(int gatewayPort, String token) {
        return line(Map.of(), gatewayPort, token);
    }

    private String line(Map<String, Object> first, int gatewayPort, String token) {
        Map<String, Object> line = new LinkedHashMap<>(first);
        line.put("protocol", WriterCalls.PROTOCOL);
        line.put("gateway_port", gatewayPort);
        line.put("token", token);
        line.putAll(configuration);
        return ControlJson.write(line);
    }

    /** Without the configuration, which has the store's keys (I12). */
    @Override
    public String toString() {
        return "writer of " + label;
    }
}
