package io.partitionbridge.credentials;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;

/**
 * Flink's S3 configuration as a writer process takes it: the object "store" of its first line
 * (docs/protocol.md). It holds secrets, so it is never logged, kept or put into an error (I12).
 */
public final class StoreSettings {

    private static final String DEFAULT_REGION = "us-east-1";

    // s3.eu-west-1.amazonaws.com, s3-eu-west-1.…, s3.dualstack.eu-west-1.….cn,
    // bucket.s3.eu-west-1.…
    private static final Pattern AWS_HOST =
            Pattern.compile(
                    "(?:^|.*\\.)s3(?:[.-](?:fips|dualstack))*[.-]([a-z]{2}(?:-[a-z]+)+-\\d+)\\.amazonaws\\.com(?:\\.cn)?");

    private static final Pattern ADDRESS =
            Pattern.compile("localhost|\\[.*]|\\d+\\.\\d+\\.\\d+\\.\\d+");

    private final StoreConfiguration keys;

    private StoreSettings(Configuration configuration, String bucket) {
        this.keys = new StoreConfiguration(configuration, bucket);
    }

    /**
     * @param flinkConfiguration of the TaskManager
     * @param environment of the TaskManager, which counts only where no access key is configured
     * @param bucket whose own keys, "fs.s3a.bucket.NAME.…", go before the general ones
     * @return endpoint, region, path_style, proxy, and what {@link StoreAccess} and {@link
     *     ObjectSettings} add; null where nothing is configured
     * @throws IllegalArgumentException for settings that contradict each other
     */
    public static Map<String, Object> resolve(
            Configuration flinkConfiguration, Map<String, String> environment, String bucket) {
        return new StoreSettings(flinkConfiguration, bucket).resolve(environment);
    }

    /**
     * The keys that the configuration file has now, where it has some, since Flink reads it only
     * when a process starts. For keys that have expired: until then Flink's own view counts.
     *
     * @param flinkConfiguration of the TaskManager
     * @return access_key, secret_key, session_token; null where nothing is configured
     */
    public static Map<String, Object> currentKeys(Configuration flinkConfiguration, String bucket) {
        return currentKeys(flinkConfiguration, GlobalConfiguration.loadConfiguration(), bucket);
    }

    static Map<String, Object> currentKeys(
            Configuration flinkConfiguration, Configuration file, String bucket) {
        StoreConfiguration fresh = new StoreConfiguration(file, bucket);
        boolean complete =
                fresh.find(StoreKey.ACCESS_KEY).isPresent()
                        && fresh.find(StoreKey.SECRET_KEY).isPresent();
        return new StoreAccess(
                        complete ? fresh : new StoreConfiguration(flinkConfiguration, bucket))
                .keys();
    }

    private Map<String, Object> resolve(Map<String, String> environment) {
        Optional<String> endpoint = keys.find(StoreKey.ENDPOINT).map(this::withScheme);
        Optional<String> host = endpoint.map(StoreSettings::host);

        Map<String, Object> store = new LinkedHashMap<>();
        store.put("endpoint", endpoint.orElse(null));
        store.put("region", region(host, endpoint.isPresent() ? Map.of() : environment));
        store.put(
                "path_style",
                keys.find(StoreKey.PATH_STYLE)
                        .map(Boolean::parseBoolean)
                        .orElse(host.filter(name -> ADDRESS.matcher(name).matches()).isPresent()));
        store.put("proxy", proxy().orElse(null));
        store.putAll(new StoreAccess(keys).resolve(environment));
        store.put("objects", ObjectSettings.resolve(keys));
        return store;
    }

    private String region(Optional<String> host, Map<String, String> environment) {
        return keys.find(StoreKey.REGION)
                .or(() -> host.map(AWS_HOST::matcher).filter(Matcher::matches).map(m -> m.group(1)))
                .or(() -> Optional.ofNullable(environment.get("AWS_REGION")))
                .or(() -> Optional.ofNullable(environment.get("AWS_DEFAULT_REGION")))
                .orElse(DEFAULT_REGION);
    }

    // As hadoop-aws: without a port it's that of the endpoint's scheme.
    private Optional<String> proxy() {
        return keys.find(StoreKey.PROXY_HOST)
                .map(
                        host ->
                                String.format(
                                        "http://%s%s:%s",
                                        keys.find(StoreKey.PROXY_USERNAME)
                                                .map(this::withPassword)
                                                .orElse(""),
                                        host,
                                        keys.find(StoreKey.PROXY_PORT)
                                                .orElse(usesSsl() ? "443" : "80")));
    }

    private String withPassword(String user) {
        String password = keys.find(StoreKey.PROXY_PASSWORD).orElse("");
        return escaped(user) + ":" + escaped(password) + "@";
    }

    private static String escaped(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private String withScheme(String endpoint) {
        return endpoint.contains("://")
                ? endpoint
                : (usesSsl() ? "https://" : "http://") + endpoint;
    }

    private boolean usesSsl() {
        return keys.find(StoreKey.SSL).map(Boolean::parseBoolean).orElse(true);
    }

    private static String host(String endpoint) {
        String host = URI.create(endpoint).getHost();
        return host == null ? "" : host;
    }
}
