package io.partitionbridge.credentials;

import java.net.URI;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Flink's S3 plugins, and which of the keys that decide how an object is kept each of them knows.
 * Only these hold for what Flink's own commit policies write, as {@code _SUCCESS}: the bridge's
 * writers honour all.
 */
public enum S3Plugin {
    HADOOP(
            "s3-fs-hadoop",
            "org.apache.flink.fs.s3.common.",
            List.of("fs.s3a.", "s3a.", "s3."),
            Set.of(
                    "encryption.algorithm",
                    "server-side-encryption-algorithm",
                    "encryption.key",
                    "server-side-encryption.key",
                    "acl.default")),
    PRESTO(
            "s3-fs-presto",
            "org.apache.flink.fs.s3presto.",
            List.of("presto.s3.", "s3."),
            Set.of(
                    "sse.enabled",
                    "sse.type",
                    "sse.kms-key-id",
                    "upload-acl-type",
                    "storage-class")),
    NATIVE(
            "s3-fs-native",
            "org.apache.flink.fs.s3native.",
            List.of("s3."),
            Set.of("sse.type", "sse.kms.key-id"));

    static final Set<StoreKey> OF_OBJECTS =
            EnumSet.range(StoreKey.ENCRYPTION, StoreKey.REQUESTER_PAYS);

    final String title;
    final List<String> prefixes;
    private final String classes;
    private final Set<String> names;

    /**
     * @param prefixes of its keys in Flink's configuration, its own first
     */
    S3Plugin(String title, String classes, List<String> prefixes, Set<String> names) {
        this.title = title;
        this.classes = classes;
        this.prefixes = prefixes;
        this.names = names;
    }

    /** The plugin that a file system is of; empty for one of none of Flink's. */
    public static Optional<S3Plugin> of(String fileSystemClass) {
        return Arrays.stream(values())
                .filter(each -> fileSystemClass.startsWith(each.classes))
                .findFirst();
    }

    /** Whether it knows a key of {@link #OF_OBJECTS}, by its name without prefix. */
    boolean knows(String name) {
        return names.contains(name);
    }

    /**
     * @return the keys that say how objects of a bucket are kept and are said in no way that this
     *     plugin knows
     */
    public List<String> ignored(Map<String, String> configuration, URI bucket) {
        Map<StoreKey, String> ignored = new EnumMap<>(StoreKey.class);
        Set<StoreKey> known = EnumSet.noneOf(StoreKey.class);
        for (Map.Entry<String, String> each : new TreeMap<>(configuration).entrySet()) {
            String name = StoreKeys.name(each.getKey(), bucket.getAuthority()).orElse(null);
            if (name == null || each.getValue().isBlank()) {
                continue;
            }
            boolean reads = reads(each.getKey(), name);
            for (StoreKey key : OF_OBJECTS) {
                if (key.isCalled(name) && reads) {
                    known.add(key);
                } else if (key.isCalled(name)) {
                    ignored.put(key, each.getKey());
                }
            }
        }
        known.forEach(ignored::remove);
        return List.copyOf(ignored.values());
    }

    // Only hadoop-aws has keys of one bucket.
    private boolean reads(String key, String name) {
        return knows(name)
                && prefixes.stream().anyMatch(key::startsWith)
                && (this == HADOOP || prefixes.stream().anyMatch(each -> key.equals(each + name)));
    }
}
