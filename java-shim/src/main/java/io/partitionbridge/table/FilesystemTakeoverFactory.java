package io.partitionbridge.table;

import org.apache.flink.connector.file.table.FileSystemTableFactory;

/**
 * The bridge under Flink's own identifier {@code filesystem}, so that no DDL changes.
 *
 * <p>Not in the shim's service file: Flink refuses two factories with one identifier. {@code
 * partition-bridge install --takeover} registers it in place of Flink's own in the connector's jar.
 */
public class FilesystemTakeoverFactory extends BridgeTableFactory {

    @Override
    public String factoryIdentifier() {
        return FileSystemTableFactory.IDENTIFIER;
    }
}
