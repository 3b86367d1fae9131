package io.partitionbridge.writer;

import io.partitionbridge.control.CommittedFiles;
import io.partitionbridge.control.RestoredFiles;
import io.partitionbridge.state.FileEntry;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A line for each file that is visible, and one for each commit that has made some visible. */
final class CommitLog {

    private static final Logger LOG = LoggerFactory.getLogger(CommitLog.class);

    private final String table;
    private final TableLocation location;

    CommitLog(String table, TableLocation location) {
        this.table = table;
        this.location = location;
    }

    private void file(TrackedFile file, CommittedFiles.Committed facts) {
        LOG.info(
                "Visible: {} (partition '{}', {} rows, {} bytes, {} parts, upload {}, {})",
                location.pathOf(file.key()),
                file.partition(),
                facts.rows(),
                facts.bytes(),
                facts.parts(),
                facts.uploadId(),
                named(file.checkpoint()));
    }

    void restored(FileEntry entry, RestoredFiles.Restored restored) {
        LOG.info(
                "Restored, {}: {} (partition '{}', {} rows, {} bytes, {} parts, upload {}, {})",
                restored.outcome(),
                location.pathOf(entry.key()),
                entry.partition(),
                entry.rows(),
                entry.size(),
                entry.parts().size(),
                entry.uploadId(),
                named(entry.checkpoint()));
    }

    /**
     * @param tracked knows the files still
     */
    void commit(long checkpoint, CommittedFiles files, long millis, CheckpointedFiles tracked) {
        if (files.files().isEmpty()) {
            return;
        }
        Map<Integer, TrackedFile> known = tracked.byNumber();
        for (CommittedFiles.Committed facts : files.files()) {
            TrackedFile file = known.get(facts.file());
            if (file != null) {
                file(file, facts);
            }
        }
        LOG.info(
                "Committed {} of {}: {} files, {} rows, {} bytes became visible in {} ms",
                named(checkpoint),
                table,
                files.files().size(),
                files.rows(),
                files.bytes(),
                millis);
    }

    private static String named(long checkpoint) {
        return checkpoint == Long.MAX_VALUE ? "end of input" : "checkpoint " + checkpoint;
    }
}
