package io.partitionbridge.batch;

import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.SINK_PARTITION_COMMIT_POLICY_CLASS;
import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.SINK_PARTITION_COMMIT_POLICY_CLASS_PARAMETERS;
import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.SINK_PARTITION_COMMIT_POLICY_KIND;
import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.SINK_PARTITION_COMMIT_SUCCESS_FILE_NAME;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * insert also without; a table without partitions always. Their order is its, too: a policy that
 * looks at what was announced before it must see the same.
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
            if (insert.isPartitioned()) {
                for (LinkedHashMap<String, String> spec : inFlinksOrder(partitions)) {
                    loader.loadPartition(spec, List.of(), MOVED_BY_FOLDER);
                }
            }
        }
    }

    /**
     * As Flink's batch committer goes over them: it lists the staged folders, on S3 in the order of
     * their keys, and collects them in a HashMap by {@code compute}
     * (PartitionTempFileManager.collectPartSpecToPaths). Not by {@code put}: the two order what
     * falls into one bucket of the map differently.
     */
    static Collection<LinkedHashMap<String, String>> inFlinksOrder(Collection<String> partitions) {
        Map<LinkedHashMap<String, String>, Boolean> specs = new HashMap<>();
        partitions.stream()
                .sorted()
                .map(BatchInsert::spec)
                .forEach(spec -> specs.compute(spec, (key, known) -> true));
        return specs.keySet();
    }
}
