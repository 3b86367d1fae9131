package io.partitionbridge.credentials;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;

/**
 * Flink's S3 configuration as a writer process takes it: the object "store" of its first line
 * (docs/protocol.md). It holds secrets, so it is never logged, kept or put into an error (I12).
 */
public final class StoreSettings {

    private final Configuration flinkConfiguration;
    private final URI bucket;
    private final StoreClasses classes;
    private final DelegationTokens tokens;
    private final Map<String, Optional<JavaProvider>> providers = new ConcurrentHashMap<>();

    /**
     * @param flinkConfiguration of the TaskManager
     * @param bucket of the table, with its scheme; its own keys, "fs.s3a.bucket.NAME.…", go before
     *     the general ones
     */
    public StoreSettings(Configuration flinkConfiguration, URI bucket) {
        this(flinkConfiguration, bucket, new StoreClasses(bucket));
    }

    StoreSettings(Configuration flinkConfiguration, URI bucket, StoreClasses classes) {
        this.flinkConfiguration = flinkConfiguration;
        this.bucket = bucket;
        this.classes = classes;
        this.tokens = new DelegationTokens(flinkConfiguration.toMap(), classes);
    }

    /**
     * @param environment of the TaskManager, which counts only where no access key is configured
     * @return endpoint, region, path_style, proxy, access_point, signature, region_of_instance, and
     *     what {@link StoreAccess} and {@link ObjectSettings} add; null where nothing is configured
     * @throws IllegalArgumentException for settings that contradict each other
     */
    public Map<String, Object> resolve(Map<String, String> environment) {
        StoreConfiguration keys = configuration(flinkConfiguration);
        Map<String, Object> store = new LinkedHashMap<>();
        store.putAll(new StoreAddress(keys).resolve(tokens.region(), environment));
        store.putAll(access(keys).resolve(environment));
        store.put("objects", ObjectSettings.resolve(keys));
        return store;
    }

    /**
     * Keys in place of those of {@link #resolve}: delegation tokens that have come since, what a
     * credential provider says now, or the keys that the configuration file has now, since Flink
     * reads it only when a process starts. Without keys there, Flink's own view counts.
     *
     * @return access_key, secret_key, session_token, ask_again_ms; null where nothing is configured
     */
    public Map<String, Object> currentKeys() {
        return currentKeys(GlobalConfiguration.loadConfiguration());
    }

    Map<String, Object> currentKeys(Configuration file) {
        StoreConfiguration fresh = configuration(file);
        boolean complete =
                fresh.find(StoreKey.ACCESS_KEY).isPresent()
                        && fresh.find(StoreKey.SECRET_KEY).isPresent();
        return access(complete ? fresh : configuration(flinkConfiguration)).keys();
    }

    private StoreConfiguration configuration(Configuration flink) {
        return new StoreConfiguration(flink, bucket.getAuthority(), classes);
    }

    private StoreAccess access(StoreConfiguration keys) {
        return new StoreAccess(keys, tokens, this::provider);
    }

    private Optional<JavaProvider> provider(String name) {
        return providers.computeIfAbsent(
                name,
                any ->
                        JavaProvider.find(
                                classes, name, bucket, HadoopSettings.of(flinkConfiguration)));
    }
}
