package io.partitionbridge.credentials;

import java.util.Optional;
import java.util.Set;
import org.apache.flink.configuration.Configuration;

/**
 * What Flink's configuration says of a bucket: its own keys, "fs.s3a.bucket.NAME.…", first; secrets
 * that lie in a key store of Hadoop's before all, as hadoop-aws has it.
 */
final class StoreConfiguration {

    private static final Set<StoreKey> IN_KEY_STORES =
            Set.of(
                    StoreKey.ACCESS_KEY,
                    StoreKey.SECRET_KEY,
                    StoreKey.SESSION_TOKEN,
                    StoreKey.ENCRYPTION,
                    StoreKey.ENCRYPTION_KEY,
                    StoreKey.ENCRYPTION_CONTEXT,
                    StoreKey.PROXY_USERNAME,
                    StoreKey.PROXY_PASSWORD);
    private static final String HADOOPS = "fs.s3a.";

    private final Configuration configuration;
    private final String bucket;
    private final Optional<HadoopSettings> keyStores;

    StoreConfiguration(Configuration configuration, String bucket, StoreClasses classes) {
        this.configuration = configuration;
        this.bucket = bucket;
        this.keyStores =
                find(StoreKey.KEY_STORE)
                        .map(
                                path ->
                                        HadoopSettings.ofKeyStores(classes, path)
                                                .orElseThrow(StoreConfiguration::hadoopIsMissing));
    }

    String bucket() {
        return bucket;
    }

    boolean isSet(StoreKey key) {
        return find(key).map(Boolean::parseBoolean).orElse(false);
    }

    Optional<String> find(StoreKey key) {
        return findOfBucket(key).or(() -> lookUp("", key));
    }

    /** What the bucket has of its own. */
    Optional<String> findOfBucket(StoreKey key) {
        return lookUp(StoreKeys.BUCKET + bucket + ".", key);
    }

    private Optional<String> lookUp(String scope, StoreKey key) {
        return secret(scope, key)
                .or(
                        () ->
                                StoreKeys.spellings(key, scope)
                                        .flatMap(name -> value(name).stream())
                                        .findFirst());
    }

    private Optional<String> secret(String scope, StoreKey key) {
        if (!IN_KEY_STORES.contains(key) || keyStores.isEmpty()) {
            return Optional.empty();
        }
        return key.names.stream()
                .flatMap(name -> keyStores.get().secret(HADOOPS + scope + name).stream())
                .findFirst();
    }

    private Optional<String> value(String key) {
        return Optional.of(configuration.getString(key, "").trim())
                .filter(value -> !value.isEmpty());
    }

    private static IllegalArgumentException hadoopIsMissing() {
        return new IllegalArgumentException(
                "'fs.s3a.security.credential.provider.path' of Flink's configuration needs Hadoop's"
                        + " classes on the TaskManagers, too: put Hadoop's jars into Flink's lib/,"
                        + " or use s3-fs-hadoop.");
    }
}
