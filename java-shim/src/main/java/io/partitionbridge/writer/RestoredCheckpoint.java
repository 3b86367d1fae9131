package io.partitionbridge.writer;

import io.partitionbridge.control.RestoredFiles;
import io.partitionbridge.control.WriterSession;
import io.partitionbridge.state.FileEntry;
import io.partitionbridge.state.FileEntryCodec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The files that a restored checkpoint names: it is complete by definition, so they are due. */
final class RestoredCheckpoint {

    private static final Logger LOG = LoggerFactory.getLogger(RestoredCheckpoint.class);

    private final List<FileEntry> entries;

    RestoredCheckpoint(List<FileEntry> entries) {
        this.entries = entries;
    }

    /**
     * Completes the pending files, before any row is read.
     *
     * @param lost is told of each file whose upload is gone, where the table goes on without
     * @return all files that are visible now and are to be announced (again, I4)
     */
    List<FileEntry> complete(WriterSession writer, Consumer<FileEntry> lost) throws IOException {
        List<FileEntry> pending = entries.stream().filter(FileEntry::isPending).toList();
        List<FileEntry> visible = new ArrayList<>(entries);
        if (pending.isEmpty()) {
            return visible;
        }
        List<byte[]> encoded = new ArrayList<>();
        for (FileEntry entry : pending) {
            encoded.add(FileEntryCodec.encode(entry));
        }
        for (RestoredFiles.Restored file : writer.restore(encoded).files()) {
            FileEntry entry = pending.get(file.element());
            LOG.info("Restored file {}: {}", entry.key(), file.outcome());
            if (file.skipped()) {
                LOG.warn(
                        "s3://{}/{}, upload {}, of checkpoint {} is lost with its {} rows, {} bytes,"
                                + " as 'sink.restore.missing-upload' = 'skip' allows.",
                        entry.bucket(),
                        entry.key(),
                        entry.uploadId(),
                        entry.checkpoint(),
                        entry.rows(),
                        entry.size());
                lost.accept(entry);
                visible.remove(entry);
            }
        }
        return visible;
    }
}
