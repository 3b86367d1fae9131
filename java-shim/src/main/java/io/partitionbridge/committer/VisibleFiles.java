package io.partitionbridge.committer;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/** Waits until objects that the writers are completing can be seen through Flink's file system. */
final class VisibleFiles {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private final FileSystem fileSystem;
    private final Duration patience;

    VisibleFiles(FileSystem fileSystem, Duration patience) {
        this.fileSystem = fileSystem;
        this.patience = patience;
    }

    /**
     * @param files full paths, "s3://bucket/key"
     * @throws IOException when some can't be seen in time; the task then restores the checkpoint
     *     that has them, and their writers complete them again
     */
    void await(Collection<String> files) throws IOException, InterruptedException {
        Set<String> missing = new LinkedHashSet<>(files);
        long deadline = System.nanoTime() + patience.toNanos();
        Duration pause = FIRST_PAUSE;
        IOException failure = removeVisible(missing);
        while (!missing.isEmpty()) {
            if (System.nanoTime() - deadline >= 0) {
                throw new IOException(
                        String.format(
                                "%d files of the last checkpoint of finished writers didn't become visible within %d s,"
                                        + " the first is %s. Look for the error of their writer; the job goes on from"
                                        + " its last checkpoint.",
                                missing.size(), patience.toSeconds(), missing.iterator().next()),
                        failure);
            }
            Thread.sleep(pause.toMillis());
            pause = pause.multipliedBy(2);
            if (pause.compareTo(LONGEST_PAUSE) > 0) {
                pause = LONGEST_PAUSE;
            }
            failure = removeVisible(missing);
        }
    }

    // A store that doesn't answer is asked again until the deadline.
    private IOException removeVisible(Set<String> missing) {
        for (Iterator<String> files = missing.iterator(); files.hasNext(); ) {
            try {
                if (!fileSystem.exists(new Path(files.next()))) {
                    return null;
                }
                files.remove();
            } catch (IOException e) {
                return e;
            }
        }
        return null;
    }
}
