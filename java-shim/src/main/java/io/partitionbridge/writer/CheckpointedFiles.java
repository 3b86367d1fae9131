package io.partitionbridge.writer;

import io.partitionbridge.control.WriterSession;
import io.partitionbridge.state.FileEntry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The files that the state must name, and what of them was announced.
 *
 * <pre>
 *   open ─► in every snapshot anew, as it is by then
 *   closed ─► pending ─► visible ─► reported ─► covered: forgotten
 *                │          └──────────┴─ in every snapshot, as completed entries (I4)
 *                └─ in every snapshot, as pending entries; an aborted checkpoint changes nothing
 * </pre>
 */
final class CheckpointedFiles {

    private final List<TrackedFile> files = new ArrayList<>();
    private long lastSnapshot = -1;

    void restored(FileEntry entry) {
        files.add(TrackedFile.restored(entry));
    }

    /** The files of this run that no checkpoint has covered yet, by their numbers. */
    Map<Integer, TrackedFile> byNumber() {
        return files.stream()
                .filter(file -> !file.isRestored())
                .collect(Collectors.toMap(TrackedFile::number, Function.identity()));
    }

    /** Files that take no more rows; the next barrier names them. */
    void closed(List<OpenFile> closed) {
        for (OpenFile file : closed) {
            files.add(TrackedFile.closed(file));
        }
    }

    /**
     * @return numbers of the files that this barrier is the first to name
     */
    int[] barrier(long checkpoint) {
        lastSnapshot = checkpoint;
        return files.stream()
                .filter(file -> !file.isNamed())
                .peek(file -> file.namedBy(checkpoint))
                .mapToInt(TrackedFile::number)
                .toArray();
    }

    /**
     * The elements of a snapshot's state, one a file.
     *
     * @param open files that go on after the snapshot's barrier
     */
    List<Object> elements(
            long snapshot,
            Collection<OpenFile> open,
            CompletableFuture<Void> ready,
            WriterSession writer) {
        List<Object> elements = new ArrayList<>();
        for (OpenFile file : open) {
            elements.add(TrackedFile.openElement(file, snapshot, ready, writer));
        }
        for (TrackedFile file : files) {
            elements.add(file.element(snapshot, ready, writer));
        }
        return elements;
    }

    /** The files of all barriers up to a checkpoint are visible, and the checkpoint is complete. */
    void completed(long checkpoint) {
        for (TrackedFile file : files) {
            if (file.isPendingAt(checkpoint)) {
                file.becameVisible();
            }
        }
        files.removeIf(file -> file.isCoveredBy(checkpoint));
    }

    /** The partitions of visible files that weren't reported before; they are now. */
    String[] reportVisible() {
        Set<String> partitions = new LinkedHashSet<>();
        for (TrackedFile file : files) {
            if (file.isVisible() && !file.isReported()) {
                partitions.add(file.partition());
                file.reported(lastSnapshot);
            }
        }
        return partitions.toArray(new String[0]);
    }

    /** Keys of the files that aren't visible yet. */
    List<String> pendingKeys() {
        return files.stream().filter(file -> !file.isVisible()).map(TrackedFile::key).toList();
    }

    /** The partitions of all files that weren't reported before, pending ones included. */
    String[] reportAll() {
        Set<String> partitions = new LinkedHashSet<>();
        for (TrackedFile file : files) {
            if (!file.isReported()) {
                partitions.add(file.partition());
                file.reported(lastSnapshot);
            }
        }
        return partitions.toArray(new String[0]);
    }
}
