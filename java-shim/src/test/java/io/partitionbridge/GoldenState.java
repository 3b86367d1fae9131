package io.partitionbridge;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;

/**
 * Operator states that builds before this one have written, in tests/golden/state: one checkpoint's
 * _metadata a file, as Flink writes it, with the state inside.
 *
 * <p>{@code -Dgolden.write=true} writes those that aren't there yet; a file that is there is never
 * written again.
 */
public final class GoldenState {

    private static final Path FOLDER = Path.of("..", "tests", "golden", "state");

    private GoldenState() {}

    /** The state by its name, such as "v1-writer". */
    public static OperatorSubtaskState read(String name) throws IOException {
        byte[] bytes = Files.readAllBytes(file(name));
        return Checkpoints.loadCheckpointMetadata(
                        new DataInputStream(new ByteArrayInputStream(bytes)),
                        GoldenState.class.getClassLoader(),
                        name)
                .getOperatorStates()
                .iterator()
                .next()
                .getState(0);
    }

    /** Keeps what this build writes as the state of a new version. */
    public static void keepIfNew(String name, OperatorSubtaskState state) throws IOException {
        if (!Boolean.getBoolean("golden.write") || Files.exists(file(name))) {
            return;
        }
        OperatorState operator = new OperatorState(name, null, new OperatorID(1, 1), 1, 1);
        operator.putState(0, state);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Checkpoints.storeCheckpointMetadata(
                new CheckpointMetadata(7, List.of(operator), List.of()), bytes);
        Files.createDirectories(FOLDER);
        Files.write(file(name), bytes.toByteArray());
    }

    private static Path file(String name) {
        return FOLDER.resolve(name + ".bin");
    }
}
