import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.DefaultOperatorStateBackendBuilder;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;

/**
 * Writes a checkpoint as Flink's own classes do, with the given files as the elements of the bridge's state in two subtasks, and
 * an operator of somebody else beside it.
 *
 * <p>Arguments: folder, whether snapshots are compressed, entry files.
 */
public class CheckpointMaker {

    public static void main(String[] args) throws Exception {
        var execution = new ExecutionConfig();
        execution.setUseSnapshotCompression(Boolean.parseBoolean(args[1]));
        var bytes = new ListStateDescriptor<>("bridge-files", BytePrimitiveArraySerializer.INSTANCE);
        var strings = new ListStateDescriptor<>("theirs", StringSerializer.INSTANCE);

        var writer = new OperatorState("writer", null, new OperatorID(1, 1), 2, 128);
        for (int subtask = 0; subtask < 2; subtask++) {
            try (var streams = new CloseableRegistry()) {
                OperatorStateBackend backend = backend(execution, streams);
                for (int i = 2 + subtask; i < args.length; i += 2) {
                    backend.getListState(bytes).add(Files.readAllBytes(Path.of(args[i])));
                }
                backend.getListState(strings).add("the writer's second state");
                writer.putState(subtask, snapshot(backend));
            }
        }
        var other = new OperatorState("other", null, new OperatorID(2, 2), 1, 128);
        try (var streams = new CloseableRegistry()) {
            OperatorStateBackend backend = backend(execution, streams);
            backend.getListState(strings).add("not ours");
            other.putState(0, snapshot(backend));
        }

        Path folder = Files.createDirectories(Path.of(args[0]));
        try (var out = Files.newOutputStream(folder.resolve("_metadata"))) {
            Checkpoints.storeCheckpointMetadata(new CheckpointMetadata(7, List.of(other, writer), List.of()), out);
        }
    }

    private static OperatorStateBackend backend(ExecutionConfig execution, CloseableRegistry streams) throws Exception {
        return new DefaultOperatorStateBackendBuilder(
                        CheckpointMaker.class.getClassLoader(), execution, false, List.of(), streams)
                .build();
    }

    private static OperatorSubtaskState snapshot(OperatorStateBackend backend) throws Exception {
        var done =
                backend.snapshot(
                        7, 7, new MemCheckpointStreamFactory(1 << 20), CheckpointOptions.forCheckpointWithDefaultLocation());
        done.run();
        OperatorStateHandle handle = done.get().getJobManagerOwnedSnapshot();
        return OperatorSubtaskState.builder().setManagedOperatorState(handle).build();
    }
}
