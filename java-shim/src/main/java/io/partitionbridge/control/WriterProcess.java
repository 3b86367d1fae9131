package io.partitionbridge.control;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** An operating system process of the bridge, a writer mostly: started, listened to, ended. */
final class WriterProcess {

    private static final Logger LOG = LoggerFactory.getLogger(WriterProcess.class);

    private static final int LAST_WORDS = 50;
    private static final long DESTROY_SECONDS = 3;
    private static final long DRAIN_MILLIS = 2_000;

    private final String role;
    private final String python;
    private final Process process;
    private final OutputStream input;
    private final Deque<String> lastWords = new ArrayDeque<>();
    private final Thread errors;
    private final Thread output;

    private WriterProcess(String role, String python, Process process) {
        this.role = role;
        this.python = python;
        this.process = process;
        this.input = process.getOutputStream();
        this.errors = drain(process.getErrorStream(), "stderr", Level.WARN, this::remember);
        this.output = drain(process.getInputStream(), "stdout", Level.INFO, line -> {});
    }

    /**
     * Starts the writer and gives it its configuration. The stream stays open: its end tells the
     * writer that the JVM is gone.
     *
     * @param role "writer" or "metastore", for logs
     * @param exited called once, on a thread of its own, after the process and its last words
     */
    static WriterProcess start(
            String role,
            List<String> command,
            Map<String, String> environment,
            String configuration,
            Consumer<WriterProcess> exited)
            throws WriterFailure {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(PythonInterpreter.environment(environment));
        WriterProcess writer;
        try {
            writer = new WriterProcess(role, command.get(0), builder.start());
        } catch (IOException e) {
            throw new WriterFailure(
                    WriterFailure.Kind.CONFIGURATION,
                    "The Python interpreter '"
                            + command.get(0)
                            + "' of the "
                            + role
                            + " process can't be started. Set 'python.executable' (a"
                            + " table option, or in Flink's configuration) to an interpreter that"
                            + " has flink-partition-bridge, on every TaskManager.",
                    e);
        }
        writer.configure(configuration);
        Thread watch =
                new Thread(() -> writer.watch(exited), "partition-bridge-exit-" + writer.pid());
        watch.setDaemon(true);
        watch.start();
        return writer;
    }

    private void configure(String configuration) {
        try {
            input.write((configuration + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException e) {
            // It died before it read; its exit tells why.
            LOG.debug("Writer {} took no configuration", pid(), e);
        }
    }

    private void watch(Consumer<WriterProcess> exited) {
        try {
            process.waitFor();
            errors.join(DRAIN_MILLIS);
            output.join(DRAIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        exited.accept(this);
    }

    private Thread drain(InputStream stream, String name, Level unmarked, Consumer<String> each) {
        ProcessLog log = new ProcessLog(unmarked, this::log);
        Thread thread =
                new Thread(
                        () -> {
                            try (BufferedReader lines =
                                    new BufferedReader(
                                            new InputStreamReader(
                                                    stream, StandardCharsets.UTF_8))) {
                                String line;
                                while ((line = lines.readLine()) != null) {
                                    each.accept(line);
                                    log.line(line);
                                    // A record is written at once, so its lines are here by now.
                                    if (!lines.ready()) {
                                        log.flush();
                                    }
                                }
                            } catch (IOException e) {
                                LOG.debug("{} of writer {} ended", name, pid(), e);
                            } finally {
                                log.flush();
                            }
                        },
                        "partition-bridge-" + name + "-" + process.pid());
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void log(Level level, String text) {
        switch (level) {
            case ERROR -> LOG.error("{} {}: {}", role, pid(), text);
            case WARN -> LOG.warn("{} {}: {}", role, pid(), text);
            case DEBUG, TRACE -> LOG.debug("{} {}: {}", role, pid(), text);
            case INFO -> LOG.info("{} {}: {}", role, pid(), text);
        }
    }

    private void remember(String line) {
        synchronized (lastWords) {
            if (lastWords.size() == LAST_WORDS) {
                lastWords.removeFirst();
            }
            lastWords.addLast(ProcessLog.textOf(line));
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    int exitCode() {
        return process.exitValue();
    }

    /**
     * What the end of a process means that should have gone on.
     *
     * @param label whose process it was
     */
    WriterFailure deathNotice(String label) {
        return DeathNotice.of(role, label, python, exitCode(), lastWords());
    }

    /** The last lines of standard error. */
    String lastWords() {
        synchronized (lastWords) {
            return String.join("\n", lastWords);
        }
    }

    boolean waitFor(long seconds) throws InterruptedException {
        return process.waitFor(seconds, TimeUnit.SECONDS);
    }

    /** Ends the process if it still runs; it publishes nothing (I2). */
    void end() {
        try {
            input.close();
        } catch (IOException e) {
            LOG.debug("stdin of writer {} was closed already", pid(), e);
        }
        try {
            if (process.isAlive()) {
                process.destroy();
                process.waitFor(DESTROY_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }
}
