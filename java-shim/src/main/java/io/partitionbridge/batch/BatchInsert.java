package io.partitionbridge.batch;

import io.partitionbridge.control.InsertCommit;
import io.partitionbridge.metastore.MetastoreSpec;
import java.io.Serializable;
import java.util.LinkedHashMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.table.FileSystemConnectorOptions;
import org.apache.flink.connector.file.table.PartitionCommitPolicy;
import org.apache.flink.core.fs.Path;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.utils.PartitionPathUtils;

/**
 * One INSERT of a batch job, fixed at planning.
 *
 * @param id in the names of all its files, so that whatever an earlier attempt has left is found
 * @param partitionKeys number of the table's partition columns
 * @param staticPartitions values of the PARTITION clause as the SQL gives them, in the order of the
 *     table's partition columns
 * @param grouped whether the planner sorts the rows by their dynamic partitions
 * @param options of the table
 * @param metastore that the table's policies write to, or null
 */
public record BatchInsert(
        String id,
        ObjectIdentifier table,
        int partitionKeys,
        LinkedHashMap<String, String> staticPartitions,
        boolean overwrite,
        boolean grouped,
        Configuration options,
        MetastoreSpec metastore)
        implements Serializable {

    boolean isPartitioned() {
        return partitionKeys > 0;
    }

    /** Whether the PARTITION clause names every column: all rows go into one partition. */
    boolean isStatic() {
        return isPartitioned() && staticPartitions.size() == partitionKeys;
    }

    /**
     * The partition path of a static insert: by the literal of the SQL, which for a DATE isn't the
     * text that its column has (Flink's SingleDirectoryWriter).
     */
    String staticPartition() {
        return PartitionPathUtils.generatePartitionPath(staticPartitions);
    }

    String path() {
        return options.get(FileSystemConnectorOptions.PATH);
    }

    /**
     * @param rerun whether an earlier attempt may have begun to commit
     */
    InsertCommit commit(boolean rerun) {
        return new InsertCommit(id, overwritten(), successFile(), rerun);
    }

    private InsertCommit.Overwrite overwritten() {
        if (!overwrite) {
            return InsertCommit.Overwrite.NOTHING;
        }
        return isPartitioned()
                ? InsertCommit.Overwrite.ITS_PARTITIONS
                : InsertCommit.Overwrite.THE_TABLE;
    }

    private String successFile() {
        return PolicyKinds.has(options, PartitionCommitPolicy.SUCCESS_FILE)
                ? options.get(FileSystemConnectorOptions.SINK_PARTITION_COMMIT_SUCCESS_FILE_NAME)
                : "";
    }

    /** The values of a partition path, unescaped. */
    static LinkedHashMap<String, String> spec(String partition) {
        return PartitionPathUtils.extractPartitionSpecFromPath(new Path(partition));
    }
}
