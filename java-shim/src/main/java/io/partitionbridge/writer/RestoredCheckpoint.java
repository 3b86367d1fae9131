package io.partitionbridge.writer;

import io.partitionbridge.control.RestoredFiles;
import io.partitionbridge.control.WriterSession;
import io.partitionbridge.state.FileEntry;
import io.partitionbridge.state.FileEntryCodec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
     * @return all files that are visible now and are to be announced (again, I4)
     */
    List<FileEntry> complete(WriterSession writer, CommitLog log, WriterGauges gauges)
            throws IOException {
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
            log.restored(entry, file);
            if (file.completed()) {
                gauges.completedAtRestore(entry);
            }
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
                gauges.lost(entry);
                visible.remove(entry);
            }
        }
        return visible;
    }
}
