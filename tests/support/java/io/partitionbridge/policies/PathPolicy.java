package io.partitionbridge.policies;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.flink.connector.file.table.PartitionCommitPolicy;

/**
 * A commit policy that appends a line to a file for each call: the partition and the last folder of its path. It asks for no
 * table, whose name Flink's own batch sink can't tell.
 */
public final class PathPolicy implements PartitionCommitPolicy {

    private final Path file;

    public PathPolicy(String file) {
        this.file = Path.of(file);
    }

    @Override
    public void commit(Context context) throws IOException {
        String folder = context.partitionSpec().isEmpty() ? "" : context.partitionPath().getName();
        String line = context.partitionSpec() + " " + folder + "\n";
        Files.write(file, line.getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
