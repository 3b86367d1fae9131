package io.partitionbridge.gates;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.flink.connector.file.table.PartitionCommitPolicy;

/** A commit policy whose every call is a line in a file, and a gate: {@code call1}, {@code call2} and so on. */
public final class GatedPolicy implements PartitionCommitPolicy {

    private final Path folder;

    public GatedPolicy(String folder) {
        this.folder = Path.of(folder);
    }

    @Override
    public void commit(Context context) throws IOException {
        Path calls = folder.resolve("calls");
        String line = String.join("/", context.partitionValues()) + "\n";
        Files.write(
                calls,
                line.getBytes(StandardCharsets.UTF_8),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        Gate.pass(folder, "call" + Files.readAllLines(calls).size());
    }
}
