package io.partitionbridge.credentials;

import java.util.Optional;
import org.apache.flink.configuration.Configuration;

/** What Flink's configuration says of a bucket: its own keys, "fs.s3a.bucket.NAME.…", first. */
final class StoreConfiguration {

    private final Configuration configuration;
    private final String bucket;

    StoreConfiguration(Configuration configuration, String bucket) {
        this.configuration = configuration;
        this.bucket = bucket;
    }

    String bucket() {
        return bucket;
    }

    boolean isSet(StoreKey key) {
        return find(key).map(Boolean::parseBoolean).orElse(false);
    }

    Optional<String> find(StoreKey key) {
        return lookUp(StoreKeys.BUCKET + bucket + ".", key).or(() -> lookUp("", key));
    }

    private Optional<String> lookUp(String scope, StoreKey key) {
        return StoreKeys.PREFIXES.stream()
                .flatMap(prefix -> key.names.stream().map(name -> prefix + scope + name))
                .flatMap(name -> value(name).stream())
                .findFirst();
    }

    private Optional<String> value(String key) {
        return Optional.of(configuration.getString(key, "").trim())
                .filter(value -> !value.isEmpty());
    }
}
