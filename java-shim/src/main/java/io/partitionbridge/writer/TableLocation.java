package io.partitionbridge.writer;

import java.net.URI;
import org.apache.flink.core.fs.Path;

/**
 * Bucket and prefix of a table.
 *
 * @param scheme as the DDL gives it, "s3" or "s3a"
 * @param prefix without slashes at its ends, "" at the root of the bucket
 */
record TableLocation(String scheme, String bucket, String prefix) {

    /**
     * @throws IllegalArgumentException if the path names no bucket
     */
    static TableLocation parse(String path) {
        URI uri = new Path(path).toUri();
        if (uri.getScheme() == null || uri.getAuthority() == null) {
            throw new IllegalArgumentException(
                    "The table's 'path' is '" + path + "' and names no bucket: s3://bucket/folder");
        }
        return new TableLocation(
                uri.getScheme(), uri.getAuthority(), uri.getPath().replaceAll("^/+|/+$", ""));
    }

    /**
     * @param partition Flink's partition path with its slash at the end, or ""
     */
    String key(String partition, String name) {
        return (prefix.isEmpty() ? "" : prefix + "/") + partition + name;
    }

    /** Full path of an object of the bucket, as Flink's file systems take it. */
    String pathOf(String key) {
        return scheme + "://" + bucket + "/" + key;
    }
}
