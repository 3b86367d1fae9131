package io.partitionbridge.control;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;

/** A Python module that is run once, with one line of JSON, and judged by its exit. */
public final class PythonCall {

    private PythonCall() {}

    /**
     * Waits for the end of the process. A task that is cancelled ends it.
     *
     * @throws WriterFailure with the last words of a process that doesn't exit with 0
     */
    public static void run(String module, Map<String, Object> call, String label)
            throws IOException, InterruptedException, ExecutionException {
        Configuration flink = GlobalConfiguration.loadConfiguration();
        String python = PythonInterpreter.of(null, flink, flink);
        CompletableFuture<WriterProcess> end = new CompletableFuture<>();
        WriterProcess process =
                WriterProcess.start(
                        "policy",
                        List.of(python, "-m", module),
                        System.getenv(),
                        ControlJson.write(call),
                        end::complete);
        try {
            WriterProcess ended = end.get();
            if (ended.exitCode() != 0) {
                throw ended.deathNotice(label);
            }
        } finally {
            process.end();
        }
    }
}
