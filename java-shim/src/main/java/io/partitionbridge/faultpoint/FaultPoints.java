package io.partitionbridge.faultpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Locale;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;

/**
 * Named points of a task at which a test holds it, to kill it there, or has it fail.
 *
 * <p>Without {@link #FOLDER} in Flink's configuration nothing happens. With it, a task that reaches
 * a point says so in "reached.jsonl" of that folder, waits while a file "hold.[point]" is there,
 * and fails where "raise.[point]" is: the same files as the writer process uses.
 */
public final class FaultPoints {

    /** Tests only. */
    public static final ConfigOption<String> FOLDER =
            ConfigOptions.key("partition-bridge.fault-points").stringType().noDefaultValue();

    private static final Duration LOOK = Duration.ofMillis(10);

    private final Path folder;

    private FaultPoints(Path folder) {
        this.folder = folder;
    }

    /**
     * @param taskManager Flink's configuration of the process
     */
    public static FaultPoints of(ReadableConfig taskManager) {
        return new FaultPoints(taskManager.getOptional(FOLDER).map(Path::of).orElse(null));
    }

    /**
     * @throws IOException where a test wants the task to fail here
     */
    public void reach(String point) throws IOException, InterruptedException {
        if (folder == null) {
            return;
        }
        say(point);
        if (Files.exists(folder.resolve("hold." + point))) {
            say("held." + point);
            while (Files.exists(folder.resolve("hold." + point))) {
                Thread.sleep(LOOK.toMillis());
            }
        }
        if (Files.exists(folder.resolve("raise." + point))) {
            throw new IOException("a test raises at " + point);
        }
    }

    private void say(String point) throws IOException {
        double now = System.currentTimeMillis() / 1e3;
        String line =
                String.format(
                        Locale.ROOT,
                        "{\"point\": \"%s\", \"pid\": %d, \"time\": %.3f, \"facts\": {}}%n",
                        point,
                        ProcessHandle.current().pid(),
                        now);
        Files.writeString(
                folder.resolve("reached.jsonl"),
                line,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }
}
