package io.partitionbridge.batch;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Optional;
import org.apache.flink.connector.file.table.TableMetaStoreFactory.TableMetaStore;
import org.apache.flink.core.fs.Path;
import org.apache.flink.table.utils.PartitionPathUtils;

/**
 * A metastore as PartitionLoader may see it. Flink's loader would announce a partition where the
 * metastore has it so far, and move the files there; the bridge's are below the table's path
 * already, so that is where the metastore has to have it.
 */
record WhereTheFilesAre(TableMetaStore store) implements TableMetaStore {

    @Override
    @SuppressWarnings("deprecation")
    public Path getLocationPath() {
        return store.getLocationPath();
    }

    @Override
    public Optional<Path> getPartition(LinkedHashMap<String, String> partition) throws Exception {
        Path ours =
                new Path(getLocationPath(), PartitionPathUtils.generatePartitionPath(partition));
        return store.getPartition(partition).filter(ours::equals);
    }

    @Override
    public void createOrAlterPartition(LinkedHashMap<String, String> partition, Path path)
            throws Exception {
        store.createOrAlterPartition(partition, path);
    }

    @Override
    public void finishWritingTable(Path path) throws Exception {
        store.finishWritingTable(path);
    }

    @Override
    public void close() throws IOException {
        store.close();
    }
}
