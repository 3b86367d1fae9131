package io.partitionbridge.credentials;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The fate of each key of Flink's configuration that an S3 file system reads.
 *
 * <p>Names are without their prefix; the spellings are those of s3-fs-hadoop, s3-fs-presto and
 * s3-fs-native. What is neither translated nor without meaning for a writer falls back, unknown
 * keys included: they may decide on access, encryption or placement.
 */
public final class StoreKeys {

    /** Prefixes in the order of precedence. */
    static final List<String> PREFIXES = List.of("fs.s3a.", "s3a.", "s3.", "presto.s3.");

    static final String BUCKET = "bucket.";

    static final List<String> ACCESS_KEY = List.of("access-key", "access.key");
    static final List<String> SECRET_KEY = List.of("secret-key", "secret.key");
    static final List<String> SESSION_TOKEN = List.of("session-token", "session.token");
    static final List<String> ENDPOINT = List.of("endpoint", "endpoint.value");
    static final List<String> REGION = List.of("endpoint.region", "region");
    static final List<String> PATH_STYLE = List.of("path-style-access", "path.style.access");
    static final List<String> SSL = List.of("connection.ssl.enabled", "ssl.enabled");

    private static final List<List<String>> TRANSLATED =
            List.of(ACCESS_KEY, SECRET_KEY, SESSION_TOKEN, ENDPOINT, REGION, PATH_STYLE, SSL);

    private static final String PROVIDER = "aws.credentials.provider";

    // Providers that give what the bridge gets anyway: the keys, or else the default chain.
    private static final Set<String> KNOWN_PROVIDERS =
            Set.of(
                    "SimpleAWSCredentialsProvider",
                    "TemporaryAWSCredentialsProvider",
                    "EnvironmentVariableCredentialsProvider",
                    "IAMInstanceCredentialsProvider",
                    "InstanceProfileCredentialsProvider",
                    "WebIdentityTokenCredentialsProvider",
                    "EC2ContainerCredentialsProviderWrapper",
                    "DefaultAWSCredentialsProviderChain",
                    "DefaultCredentialsProvider");

    private static final String ENTROPY_KEY = "entropy.key";

    // Tuning of the Java clients, their reads, listings, temporary files and metadata.
    private static final Set<String> NO_MEANING =
            Set.of(
                    "aws-client-region-provider",
                    "async.enabled",
                    "attempts.maximum",
                    "authoritative.path",
                    "block.size",
                    "bucket.probe",
                    "buffer.dir",
                    "bulk.delete.page.size",
                    "checksum-validation.enabled",
                    "chunked-encoding.enabled",
                    "connection.max",
                    "connection.maximum",
                    "directory.marker.retention",
                    "downgrade.syncable.exceptions",
                    "entropy.length",
                    "etag.checksum.enabled",
                    "executor.capacity",
                    "experimental.aws.s3.throttling",
                    "impl",
                    "list.version",
                    "max-client-retries",
                    "max-connections",
                    "max-error-retries",
                    "max-retry-time",
                    "max.total.tasks",
                    "multiobjectdelete.enable",
                    "paging.maximum",
                    "part.upload.concurrency",
                    "read.buffer.size",
                    "readahead.range",
                    "socket.recv.buffer",
                    "socket.send.buffer",
                    "staging-directory",
                    "user.agent.prefix");

    private static final List<String> NO_MEANING_BELOW =
            List.of(
                    "bulk-copy.",
                    "change.detection.",
                    "committer.",
                    "experimental.input.",
                    "fast.",
                    "input.",
                    "metadatastore.",
                    "multipart.",
                    "retry.",
                    "s3guard.",
                    "s5cmd.",
                    "select.",
                    "threads.",
                    "upload.");

    // Credentials that Flink itself fetches and hands out to the TaskManagers. There they are in
    // static fields of the S3 plugin's class loader, and Flink allows one receiver of each service:
    // out of reach, so they fall back. The services are s3-hadoop, s3-presto and s3-native.
    private static final Pattern DELEGATION =
            Pattern.compile("security\\.delegation\\.token\\.provider\\.s3[^.]*\\.(?!enabled$).*");

    private StoreKeys() {}

    /**
     * The first key, by name, that the bridge can't honour for this table; its value is never told.
     *
     * @param configuration Flink's configuration
     * @param bucket of the table; keys for other buckets don't count
     * @param path of the table in its bucket
     */
    public static Optional<String> unsupported(
            Map<String, String> configuration, String bucket, String path) {
        for (Map.Entry<String, String> entry : new TreeMap<>(configuration).entrySet()) {
            String key = entry.getKey();
            if (DELEGATION.matcher(key).matches()) {
                return Optional.of(key);
            }
            Optional<String> name = name(key, bucket);
            if (name.isPresent() && !supported(name.get(), entry.getValue(), path)) {
                return Optional.of(key);
            }
        }
        return Optional.empty();
    }

    private static boolean supported(String name, String value, String path) {
        if (name.equals(PROVIDER)) {
            return List.of(value.split("[,;]")).stream()
                    .map(provider -> provider.trim().replaceAll(".*[.$]", ""))
                    .allMatch(KNOWN_PROVIDERS::contains);
        }
        if (name.equals(ENTROPY_KEY)) {
            // Flink takes it out of a path that has it.
            return !path.contains(value);
        }
        return TRANSLATED.stream().anyMatch(names -> names.contains(name))
                || NO_MEANING.contains(name)
                || name.endsWith("timeout")
                || NO_MEANING_BELOW.stream().anyMatch(name::startsWith);
    }

    // Without prefix and without this bucket's; empty for what isn't a key of this store.
    private static Optional<String> name(String key, String bucket) {
        return PREFIXES.stream()
                .filter(key::startsWith)
                .findFirst()
                .map(prefix -> key.substring(prefix.length()))
                .map(
                        name ->
                                name.startsWith(BUCKET + bucket + ".")
                                        ? name.substring(BUCKET.length() + bucket.length() + 1)
                                        : name)
                .filter(name -> !name.startsWith(BUCKET) || NO_MEANING.contains(name));
    }
}
