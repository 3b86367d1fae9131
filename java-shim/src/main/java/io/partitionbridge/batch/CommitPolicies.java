package io.partitionbridge.batch;

import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.SINK_PARTITION_COMMIT_POLICY_CLASS;
import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.SINK_PARTITION_COMMIT_POLICY_CLASS_PARAMETERS;
import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.SINK_PARTITION_COMMIT_POLICY_KIND;
import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.SINK_PARTITION_COMMIT_SUCCESS_FILE_NAME;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.table.PartitionCommitPolicy;
import org.apache.flink.connector.file.table.PartitionCommitPolicyFactory;
import org.apache.flink.connector.file.table.PartitionLoader;
import org.apache.flink.connector.file.table.TableMetaStoreFactory;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/**
 * Runs Flink's commit policies by Flink's own PartitionLoader, which gets no files to move: they
 * are where they belong.
 *
 * <p>Which partitions get one is FileSystemCommitter's rule: those with files; the one of a static
 * insert also without; a table without partitions always.
 */
final class CommitPolicies {

    private static final boolean MOVED_BY_FOLDER = false;

    private final BatchInsert insert;
    private final Path path;
    private final List<PartitionCommitPolicy> policies;
    private final TableMetaStoreFactory metaStores;

    CommitPolicies(BatchInsert insert, ClassLoader classLoader, TableMetaStoreFactory metaStores) {
        this.metaStores = metaStores;
        this.insert = insert;
        this.path = new Path(insert.path());
        Configuration options = insert.options();
        this.policies =
                new PartitionCommitPolicyFactory(
                                options.get(SINK_PARTITION_COMMIT_POLICY_KIND),
                                options.get(SINK_PARTITION_COMMIT_POLICY_CLASS),
                                options.get(SINK_PARTITION_COMMIT_SUCCESS_FILE_NAME),
                                options.get(SINK_PARTITION_COMMIT_POLICY_CLASS_PARAMETERS))
                        .createPolicyChain(classLoader, this::fileSystem);
    }

    private FileSystem fileSystem() {
        try {
            return path.getFileSystem();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** May be repeated. */
    void run(List<String> partitions) throws Exception {
        if (policies.isEmpty()) {
            return;
        }
        try (PartitionLoader loader =
                new PartitionLoader(
                        false,
                        path.getFileSystem(),
                        () -> new WhereTheFilesAre(metaStores.createTableMetaStore()),
                        false,
                        insert.table(),
                        policies)) {
            if (!insert.isPartitioned()) {
                loader.loadNonPartition(List.of(), MOVED_BY_FOLDER);
            } else if (partitions.isEmpty() && insert.isStatic()) {
                loader.loadEmptyPartition(insert.staticPartitions());
            }
            for (String partition : insert.isPartitioned() ? partitions : List.<String>of()) {
                loader.loadPartition(BatchInsert.spec(partition), List.of(), MOVED_BY_FOLDER);
            }
        }
    }
}
