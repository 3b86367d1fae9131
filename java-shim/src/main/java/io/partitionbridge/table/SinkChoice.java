package io.partitionbridge.table;

import io.partitionbridge.credentials.StoreKeys;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.connector.file.table.FileSystemConnectorOptions;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.table.api.ValidationException;

/** Whether the bridge or Flink's own sink writes a table; decided at planning, once and for all. */
final class SinkChoice {

    private static final Set<String> SCHEMES = Set.of("s3", "s3a");

    // FLINK-34109, FLINK-26580.
    private static final String COMPACTION_REMEDY =
            "It deletes files that retained checkpoints and savepoints still need, so that these can't"
                    + " be restored any more. Remove 'auto-compaction'; with"
                    + " 'sink.rolling-policy.roll-on-checkpoint' = 'false' the bridge's Parquet files go"
                    + " on over checkpoints, as files of json, raw and the CDC formats do anyway. Files of"
                    + " csv, avro and orc get larger by checkpoints at longer intervals.";

    private SinkChoice() {}

    /**
     * @param batch whether the job runs in batch mode; a bounded query in streaming mode doesn't
     * @param storeConfiguration Flink's configuration, for keys of the store
     * @return why Flink's own sink has to write the table; empty if the bridge does
     * @throws ValidationException for a table that neither can write
     */
    static Optional<FallbackReason> fallback(
            TableDefinition table, boolean batch, Map<String, String> storeConfiguration) {
        URI location = location(table.path());
        if (location.getScheme() == null || !SCHEMES.contains(location.getScheme())) {
            return reason("'path' isn't on s3:// or s3a://", schemeRemedy(table.path(), location));
        }
        // Flink's batch sink ignores it.
        if (!batch && table.options().get(FileSystemConnectorOptions.AUTO_COMPACTION)) {
            return reason("'auto-compaction' = 'true'", COMPACTION_REMEDY);
        }
        return storeReason(location, storeConfiguration);
    }

    private static Optional<FallbackReason> storeReason(
            URI location, Map<String, String> storeConfiguration) {
        return StoreKeys.unsupported(storeConfiguration, location)
                .map(
                        refused ->
                                new FallbackReason(
                                        "'" + refused.key() + "' of Flink's configuration",
                                        refused.remedy()));
    }

    private static Optional<FallbackReason> reason(String reason, String remedy) {
        return Optional.of(new FallbackReason(reason, remedy));
    }

    /** The table's location with its scheme, for those who don't know Flink's default one. */
    static String qualified(String path) {
        return new Path(location(path)).toString();
    }

    private static URI location(String path) {
        URI uri;
        try {
            uri = new Path(path).toUri();
        } catch (IllegalArgumentException e) {
            throw new ValidationException(
                    "Invalid 'path' '" + path + "'. Write it as s3://bucket/folder.", e);
        }
        if (uri.getScheme() == null) {
            // As Flink resolves it, 'fs.default-scheme' included.
            URI base = FileSystem.getDefaultFsUri();
            if (base.getAuthority() == null) {
                return base;
            }
            if (!uri.getPath().startsWith("/")) {
                throw new ValidationException(
                        String.format(
                                "The 'path' '%s' has no scheme and isn't absolute. Write it as %s://bucket/folder, or"
                                        + " with a slash at its start for a folder of Flink's default file system, '%s'.",
                                path, base.getScheme(), base));
            }
            return base.resolve(uri);
        }
        if (SCHEMES.contains(uri.getScheme())) {
            if (uri.getUserInfo() != null) {
                throw new ValidationException(
                        "The 'path' has credentials in it. Put them into Flink's configuration as"
                                + " 's3.access-key' and 's3.secret-key', and write s3://bucket/folder.");
            }
            if (uri.getHost() == null) {
                throw new ValidationException(
                        "The 'path' '"
                                + path
                                + "' names no bucket. Write it as s3://bucket/folder.");
            }
        }
        return uri;
    }

    private static String schemeRemedy(String path, URI location) {
        String hint = "Write the 'path' as s3://bucket/folder.";
        return new Path(path).toUri().getScheme() == null
                ? String.format(
                        "'%s' has no scheme, so it is on Flink's default file system, '%s'. %s",
                        path, location.getScheme(), hint)
                : hint;
    }
}
