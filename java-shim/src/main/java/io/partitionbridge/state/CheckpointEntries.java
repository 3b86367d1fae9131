package io.partitionbridge.state;

import java.io.DataInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.plugin.PluginUtils;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.DefaultOperatorStateBackendBuilder;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.OperatorStateHandle;

/**
 * Prints the bridge's state entries in retained checkpoints and savepoints, without a job: one JSON
 * line each on standard output, <code>{"checkpoint": 12, "operator": "…", "entry": "base64"}</code>
 * , after one for their checkpoint, <code>{"checkpoint": 12, "written_ms": 1700000000000}</code>.
 *
 * <p>Arguments are checkpoint or savepoint directories, their _metadata files, or directories above
 * them, on any file system that the Flink of the class path knows. An argument under which there is
 * no _metadata is an error: the caller aborts uploads that no checkpoint names, so a path that was
 * mistyped must not pass for a checkpoint without entries (I6).
 *
 * <p>Read by Flink's own restore, so that whatever Flink may have done to the stream (compression,
 * merged files) is undone by Flink. The entries are not decoded here: one codec less to keep equal.
 */
public final class CheckpointEntries {

    private static final String METADATA = "_metadata";

    /** A job's directory lies above its chk-N, and a configured directory above its jobs'. */
    private static final int LEVELS = 2;

    /** A job that replaces its checkpoints faster than they are read would be read for ever. */
    private static final int MOST_LOOKS = 20;

    private CheckpointEntries() {}

    public static void main(String[] args) throws Exception {
        var configuration = GlobalConfiguration.loadConfiguration();
        FileSystem.initialize(
                configuration, PluginUtils.createPluginManagerFromRootFolder(configuration));
        for (String argument : args) {
            int looks = 1;
            while (!printAll(argument, looks == MOST_LOOKS)) {
                looks++;
            }
        }
    }

    /**
     * Whether all of them could be read; not where a running job has removed one meanwhile. What
     * was printed of others stays true: an upload too many is never aborted for it.
     */
    private static boolean printAll(String argument, boolean last) throws Exception {
        List<Path> found = new ArrayList<>();
        findMetadata(new Path(argument), LEVELS, found);
        if (found.isEmpty()) {
            throw new FileNotFoundException("no _metadata file under " + argument);
        }
        for (Path metadata : found) {
            try {
                print(metadata, System.out);
            } catch (Exception e) {
                if (last || metadata.getFileSystem().exists(metadata)) {
                    throw e;
                }
                return false;
            }
        }
        return true;
    }

    private static void findMetadata(Path path, int levels, List<Path> found) throws IOException {
        FileSystem fileSystem = path.getFileSystem();
        if (path.getName().equals(METADATA)) {
            found.add(path);
            return;
        }
        Path own = new Path(path, METADATA);
        if (fileSystem.exists(own)) {
            found.add(own);
            return;
        }
        FileStatus[] children = levels == 0 ? null : fileSystem.listStatus(path);
        if (children == null) {
            return;
        }
        for (FileStatus child : children) {
            if (child.isDir()) {
                findMetadata(child.getPath(), levels - 1, found);
            }
        }
    }

    private static void print(Path metadata, PrintStream out) throws Exception {
        ClassLoader classLoader = CheckpointEntries.class.getClassLoader();
        CheckpointMetadata checkpoint;
        try (var in = new DataInputStream(metadata.getFileSystem().open(metadata))) {
            checkpoint =
                    Checkpoints.loadCheckpointMetadata(
                            in, classLoader, metadata.getParent().toString());
        }
        out.printf(
                "{\"checkpoint\": %d, \"written_ms\": %d}%n",
                checkpoint.getCheckpointId(),
                metadata.getFileSystem().getFileStatus(metadata).getModificationTime());
        for (OperatorState operator : checkpoint.getOperatorStates()) {
            for (OperatorSubtaskState subtask : operator.getStates()) {
                for (byte[] entry : entries(subtask, classLoader)) {
                    out.printf(
                            "{\"checkpoint\": %d, \"operator\": \"%s\", \"entry\": \"%s\"}%n",
                            checkpoint.getCheckpointId(),
                            operator.getOperatorID(),
                            Base64.getEncoder().encodeToString(entry));
                }
            }
        }
        out.flush();
    }

    private static List<byte[]> entries(OperatorSubtaskState subtask, ClassLoader classLoader)
            throws Exception {
        List<OperatorStateHandle> ours = new ArrayList<>();
        for (OperatorStateHandle handle : subtask.getManagedOperatorState()) {
            // Other operators' states may need serializers that aren't on the class path here.
            if (handle.getStateNameToPartitionOffsets().containsKey(BridgeFilesState.NAME)) {
                ours.add(handle);
            }
        }
        List<byte[]> entries = new ArrayList<>();
        if (ours.isEmpty()) {
            return entries;
        }
        try (CloseableRegistry streams = new CloseableRegistry()) {
            OperatorStateBackend backend =
                    new DefaultOperatorStateBackendBuilder(
                                    classLoader, new ExecutionConfig(), false, ours, streams)
                            .build();
            var descriptor =
                    new ListStateDescriptor<>(
                            BridgeFilesState.NAME, BytePrimitiveArraySerializer.INSTANCE);
            for (byte[] entry : backend.getListState(descriptor).get()) {
                entries.add(entry);
            }
            backend.dispose();
        }
        return entries;
    }
}
