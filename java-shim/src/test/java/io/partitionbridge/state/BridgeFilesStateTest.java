package io.partitionbridge.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.partitionbridge.GoldenState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.StateObjectCollection;
import org.apache.flink.runtime.state.DefaultOperatorStateBackendBuilder;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.junit.jupiter.api.Test;

/** The future-backed list state in Flink's own operator state backend. */
class BridgeFilesStateTest {

    private final CloseableRegistry registry = new CloseableRegistry();

    /** The synchronous phase takes references; only the asynchronous one waits for the bytes. */
    @Test
    void theSynchronousPhaseDoesNotWaitForTheWriter() throws Exception {
        byte[] entry = FileEntryCodecTest.golden("multipart");
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        OperatorStateBackend backend = backend(List.of());
        BridgeFilesState.open(backend).update(List.of((LiveEntry) () -> get(answer)));

        // Phase 1: the task thread passes the barrier while the writer still works.
        RunnableFuture<SnapshotResult<OperatorStateHandle>> snapshot = snapshot(backend);
        assertThat(snapshot).as("not run yet").isNotDone();

        // Phase 2: the writer answers, the asynchronous part writes.
        answer.complete(entry);
        snapshot.run();
        OperatorStateHandle handle = snapshot.get().getJobManagerOwnedSnapshot();

        // Phase 3: the restored element is the entry.
        List<FileEntry> restored = BridgeFilesState.open(backend(List.of(handle))).restored();
        assertThat(restored).singleElement().extracting(FileEntry::uploadId).isEqualTo("upload-1");
    }

    /** An element whose checkpoint is aborted fails the snapshot and blocks nothing. */
    @Test
    void anElementThatFailsFailsTheSnapshot() throws Exception {
        OperatorStateBackend backend = backend(List.of());
        BridgeFilesState.open(backend)
                .update(
                        List.of(
                                (LiveEntry)
                                        () -> {
                                            throw new IOException("Checkpoint 1 was aborted.");
                                        }));
        RunnableFuture<SnapshotResult<OperatorStateHandle>> snapshot = snapshot(backend);
        snapshot.run();

        assertThatThrownBy(snapshot::get)
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("Checkpoint 1 was aborted.");
    }

    /** What a release has written, every later build restores and writes again (I7). */
    @Test
    void restoresWhatEarlierBuildsWrote() throws Exception {
        List<byte[]> entries = new ArrayList<>();
        for (String name : List.of("multipart", "inline", "completed", "other-letters")) {
            entries.add(FileEntryCodecTest.golden(name));
        }
        OperatorStateBackend backend = backend(List.of());
        BridgeFilesState.open(backend).update(new ArrayList<>(entries));
        RunnableFuture<SnapshotResult<OperatorStateHandle>> snapshot = snapshot(backend);
        snapshot.run();
        GoldenState.keepIfNew(
                "v1-writer",
                OperatorSubtaskState.builder()
                        .setManagedOperatorState(snapshot.get().getJobManagerOwnedSnapshot())
                        .build());

        OperatorStateBackend restored =
                backend(GoldenState.read("v1-writer").getManagedOperatorState());
        BridgeFilesState state = BridgeFilesState.open(restored);
        assertThat(state.restored()).extracting(FileEntryCodec::encode).containsAll(entries);
        state.update(new ArrayList<>(entries));
        RunnableFuture<SnapshotResult<OperatorStateHandle>> again = snapshot(restored);
        again.run();
        assertThat(
                        BridgeFilesState.open(
                                        backend(List.of(again.get().getJobManagerOwnedSnapshot())))
                                .restored())
                .as("restored from this build's snapshot of it")
                .hasSameSizeAs(entries);
    }

    /** Flink's byte-array serializer reads what the bridge wrote, so state needs no shim. */
    @Test
    void flinksByteArraySerializerReadsTheState() throws Exception {
        byte[] entry = FileEntryCodecTest.golden("inline");
        OperatorStateBackend backend = backend(List.of());
        BridgeFilesState.open(backend).update(List.of(entry));
        RunnableFuture<SnapshotResult<OperatorStateHandle>> snapshot = snapshot(backend);
        snapshot.run();

        OperatorStateBackend plain = backend(List.of(snapshot.get().getJobManagerOwnedSnapshot()));
        List<byte[]> elements = new ArrayList<>();
        plain.getListState(
                        new ListStateDescriptor<>(
                                BridgeFilesState.NAME, BytePrimitiveArraySerializer.INSTANCE))
                .get()
                .forEach(elements::add);
        assertThat(elements).containsExactly(entry);
    }

    /** State of Flink's own sink is refused with the way over, never ignored. */
    @Test
    void refusesTheStateOfFlinksOwnSink() throws Exception {
        OperatorStateBackend backend = backend(List.of());
        backend.getListState(
                        new ListStateDescriptor<>(
                                "bucket-states", BytePrimitiveArraySerializer.INSTANCE))
                .add(new byte[] {1});
        RunnableFuture<SnapshotResult<OperatorStateHandle>> snapshot = snapshot(backend);
        snapshot.run();
        OperatorStateBackend restored =
                backend(List.of(snapshot.get().getJobManagerOwnedSnapshot()));

        assertThatThrownBy(() -> BridgeFilesState.open(restored))
                .hasMessageContaining("bucket-states")
                .hasMessageContaining("--drain");
    }

    /** One broken entry among good ones is found before any is acted on. */
    @Test
    void refusesABrokenEntry() throws Exception {
        OperatorStateBackend backend = backend(List.of());
        BridgeFilesState state = BridgeFilesState.open(backend);
        state.update(List.of(FileEntryCodecTest.golden("inline"), new byte[] {1, 2, 3}));

        assertThatThrownBy(state::restored).isInstanceOf(BrokenEntryException.class);
    }

    private static byte[] get(CompletableFuture<byte[]> answer) throws IOException {
        try {
            return answer.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IOException(e);
        }
    }

    private OperatorStateBackend backend(Collection<OperatorStateHandle> restored)
            throws Exception {
        return new DefaultOperatorStateBackendBuilder(
                        getClass().getClassLoader(),
                        new ExecutionConfig(),
                        true,
                        new StateObjectCollection<>(restored),
                        registry)
                .build();
    }

    private static RunnableFuture<SnapshotResult<OperatorStateHandle>> snapshot(
            OperatorStateBackend backend) throws Exception {
        return backend.snapshot(
                1,
                1,
                new MemCheckpointStreamFactory(1 << 20),
                CheckpointOptions.forCheckpointWithDefaultLocation());
    }
}
