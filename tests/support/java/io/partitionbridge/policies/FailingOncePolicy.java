package io.partitionbridge.policies;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.connector.file.table.PartitionCommitPolicy;

/** A commit policy whose first call fails, so that the committer's task does. The mark of it is a file. */
public final class FailingOncePolicy implements PartitionCommitPolicy {

    private final Path mark;

    public FailingOncePolicy(String mark) {
        this.mark = Path.of(mark);
    }

    @Override
    public void commit(Context context) throws IOException {
        try {
            Files.createFile(mark);
        } catch (FileAlreadyExistsException failedBefore) {
            return;
        }
        throw new IOException("the metastore is away, says a test");
    }
}
