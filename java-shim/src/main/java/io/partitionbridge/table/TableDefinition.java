package io.partitionbridge.table;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.table.FileSystemConnectorOptions;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.DataType;

/** A table as its DDL declares it. */
record TableDefinition(
        ObjectIdentifier identifier,
        DataType physicalRowDataType,
        List<String> partitionKeys,
        Configuration options) {

    String path() {
        return options.get(FileSystemConnectorOptions.PATH);
    }

    String format() {
        return options.get(FactoryUtil.FORMAT);
    }

    /** The options under "parquet.", with their prefix, in the order of their keys. */
    Map<String, String> parquetOptions() {
        Map<String, String> found = new TreeMap<>();
        options.toMap()
                .forEach(
                        (key, value) -> {
                            if (key.startsWith(ParquetKey.PREFIX)) {
                                found.put(key, value);
                            }
                        });
        return found;
    }

    /** Whether a partition committer follows the writers, by the rule of Flink's StreamingSink. */
    boolean commitsPartitions() {
        return !partitionKeys.isEmpty()
                && options.contains(FileSystemConnectorOptions.SINK_PARTITION_COMMIT_POLICY_KIND);
    }
}
