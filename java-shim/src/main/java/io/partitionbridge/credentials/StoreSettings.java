package io.partitionbridge.credentials;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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

    // Flink's configuration alone decides the endpoint, since the committer follows only that; the
    // others tell about the place a process runs in.
    private static final Set<String> NOT_PASSED =
            Set.of(
                    "AWS_ENDPOINT_URL",
                    "AWS_ENDPOINT_URL_S3",
                    "AWS_EXECUTION_ENV",
                    "AWS_PAGER",
                    "AWS_DEFAULT_OUTPUT");

    private final Configuration configuration;
    private final String bucket;

    private StoreSettings(Configuration configuration, String bucket) {
        this.configuration = configuration;
        this.bucket = bucket;
    }

    /**
     * @param flinkConfiguration of the TaskManager
     * @param environment of the TaskManager, which counts only where no access key is configured
     * @param bucket whose own keys, "fs.s3a.bucket.NAME.…", go before the general ones
     * @return endpoint, region, path_style, access_key, secret_key, session_token, aws_environment;
     *     null where nothing is configured
     * @throws IllegalArgumentException when an access key has no secret key, or the other way round
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
        StoreSettings fresh = new StoreSettings(file, bucket);
        boolean complete =
                fresh.find(StoreKeys.ACCESS_KEY).isPresent()
                        && fresh.find(StoreKeys.SECRET_KEY).isPresent();
        return (complete ? fresh : new StoreSettings(flinkConfiguration, bucket)).keys();
    }

    private Map<String, Object> keys() {
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("access_key", find(StoreKeys.ACCESS_KEY).orElse(null));
        keys.put("secret_key", find(StoreKeys.SECRET_KEY).orElse(null));
        keys.put("session_token", find(StoreKeys.SESSION_TOKEN).orElse(null));
        return keys;
    }

    private Map<String, Object> resolve(Map<String, String> environment) {
        Optional<String> accessKey = find(StoreKeys.ACCESS_KEY);
        Optional<String> secretKey = find(StoreKeys.SECRET_KEY);
        if (accessKey.isPresent() != secretKey.isPresent()) {
            throw new IllegalArgumentException(
                    String.format(
                            "Flink's configuration has an S3 %s key but no %s key for bucket '%s'."
                                    + " Set both 's3.access-key' and 's3.secret-key', or neither.",
                            accessKey.isPresent() ? "access" : "secret",
                            accessKey.isPresent() ? "secret" : "access",
                            bucket));
        }
        Map<String, String> aws = accessKey.isPresent() ? Map.of() : awsOnly(environment);
        Optional<String> endpoint = find(StoreKeys.ENDPOINT).map(this::withScheme);
        Optional<String> host = endpoint.map(StoreSettings::host);

        Map<String, Object> store = new LinkedHashMap<>();
        store.put("endpoint", endpoint.orElse(null));
        store.put("region", region(host, endpoint.isPresent() ? Map.of() : environment));
        store.put(
                "path_style",
                find(StoreKeys.PATH_STYLE)
                        .map(Boolean::parseBoolean)
                        .orElse(host.filter(name -> ADDRESS.matcher(name).matches()).isPresent()));
        store.putAll(keys());
        store.put("aws_environment", aws);
        return store;
    }

    private String region(Optional<String> host, Map<String, String> environment) {
        return find(StoreKeys.REGION)
                .or(() -> host.map(AWS_HOST::matcher).filter(Matcher::matches).map(m -> m.group(1)))
                .or(() -> Optional.ofNullable(environment.get("AWS_REGION")))
                .or(() -> Optional.ofNullable(environment.get("AWS_DEFAULT_REGION")))
                .orElse(DEFAULT_REGION);
    }

    private String withScheme(String endpoint) {
        if (endpoint.contains("://")) {
            return endpoint;
        }
        boolean ssl = find(StoreKeys.SSL).map(Boolean::parseBoolean).orElse(true);
        return (ssl ? "https://" : "http://") + endpoint;
    }

    private static String host(String endpoint) {
        String host = URI.create(endpoint).getHost();
        return host == null ? "" : host;
    }

    private Optional<String> find(List<String> names) {
        return lookUp(StoreKeys.BUCKET + bucket + ".", names).or(() -> lookUp("", names));
    }

    private Optional<String> lookUp(String scope, List<String> names) {
        return StoreKeys.PREFIXES.stream()
                .flatMap(prefix -> names.stream().map(name -> prefix + scope + name))
                .map(key -> configuration.getString(key, ""))
                .map(String::trim)
                .filter(value -> !value.isEmpty())
                .findFirst();
    }

    private static Map<String, String> awsOnly(Map<String, String> environment) {
        Map<String, String> aws = new TreeMap<>();
        environment.forEach(
                (name, value) -> {
                    if (name.startsWith("AWS_")
                            && !name.startsWith("AWS_LAMBDA_")
                            && !NOT_PASSED.contains(name)) {
                        aws.put(name, value);
                    }
                });
        return aws;
    }
}
