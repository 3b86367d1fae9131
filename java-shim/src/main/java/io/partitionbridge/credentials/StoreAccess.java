package io.partitionbridge.credentials;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.util.TimeUtils;

/** Who the writer is to the store: keys, the sources of credentials, and the role that it takes. */
final class StoreAccess {

    // What s3-fs-hadoop and s3-fs-native call a session that has no name of its own.
    private static final String SESSION_NAME = "flink-partition-bridge";
    private static final Duration SESSION_DURATION = Duration.ofHours(1);

    // Flink's configuration alone decides the endpoint, since the committer follows only that; the
    // others tell about the place a process runs in.
    private static final Set<String> NOT_PASSED =
            Set.of(
                    "AWS_ENDPOINT_URL",
                    "AWS_ENDPOINT_URL_S3",
                    "AWS_EXECUTION_ENV",
                    "AWS_PAGER",
                    "AWS_DEFAULT_OUTPUT");

    private final StoreConfiguration keys;

    StoreAccess(StoreConfiguration keys) {
        this.keys = keys;
    }

    /**
     * @param environment of the TaskManager, which counts only where keys don't decide
     * @return access_key, secret_key, session_token, providers, role, aws_environment; null where
     *     nothing is configured
     * @throws IllegalArgumentException when an access key has no secret key, or the other way round
     */
    Map<String, Object> resolve(Map<String, String> environment) {
        Optional<List<String>> providers = providers();
        Map<String, Object> access = keys();
        boolean keysDecide =
                access.get("access_key") != null
                        && providers
                                .map(named -> named.get(0).equals(CredentialProviders.CONFIGURED))
                                .orElse(true);
        boolean nobody = providers.equals(Optional.of(List.of(CredentialProviders.ANONYMOUS)));
        access.put("providers", providers.orElse(null));
        access.put("role", role().orElse(null));
        access.put("aws_environment", keysDecide || nobody ? Map.of() : awsOnly(environment));
        return access;
    }

    /** access_key, secret_key, session_token; null where nothing is configured or none counts. */
    Map<String, Object> keys() {
        Optional<String> accessKey = keys.find(StoreKey.ACCESS_KEY);
        Optional<String> secretKey = keys.find(StoreKey.SECRET_KEY);
        if (accessKey.isPresent() != secretKey.isPresent()) {
            throw new IllegalArgumentException(
                    String.format(
                            "Flink's configuration has an S3 %s key but no %s key for bucket '%s'."
                                    + " Set both 's3.access-key' and 's3.secret-key', or neither.",
                            accessKey.isPresent() ? "access" : "secret",
                            accessKey.isPresent() ? "secret" : "access",
                            keys.bucket()));
        }
        boolean count =
                providers()
                        .map(named -> named.contains(CredentialProviders.CONFIGURED))
                        .orElse(true);
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("access_key", accessKey.filter(any -> count).orElse(null));
        found.put("secret_key", secretKey.filter(any -> count).orElse(null));
        found.put(
                "session_token",
                keys.find(StoreKey.SESSION_TOKEN).filter(any -> count).orElse(null));
        return found;
    }

    // Of the client, or of whoever assumes the role.
    private Optional<List<String>> providers() {
        if (keys.isSet(StoreKey.INSTANCE_ONLY)) {
            return Optional.of(List.of("iam-role"));
        }
        Optional<String> classes = keys.find(StoreKey.PROVIDERS);
        return (classes.filter(CredentialProviders::assumesRole).isPresent()
                        ? keys.find(StoreKey.ROLE_PROVIDERS)
                        : classes)
                .flatMap(CredentialProviders::sources);
    }

    private Optional<Map<String, Object>> role() {
        boolean hadoops =
                keys.find(StoreKey.PROVIDERS).filter(CredentialProviders::assumesRole).isPresent();
        Optional<String> arn = keys.find(hadoops ? StoreKey.HADOOP_ROLE_ARN : StoreKey.ROLE_ARN);
        if (hadoops && arn.isEmpty()) {
            throw new IllegalArgumentException(
                    "Flink's configuration names AssumedRoleCredentialProvider but no role. Set"
                            + " 'fs.s3a.assumed.role.arn'.");
        }
        return arn.map(
                name -> {
                    Map<String, Object> role = new LinkedHashMap<>();
                    role.put("arn", name);
                    role.put("external_id", keys.find(StoreKey.ROLE_EXTERNAL_ID).orElse(null));
                    role.put(
                            "session_name",
                            keys.find(StoreKey.ROLE_SESSION_NAME).orElse(SESSION_NAME));
                    role.put(
                            "seconds",
                            keys.find(StoreKey.ROLE_SESSION_DURATION)
                                    .map(StoreAccess::duration)
                                    .orElse(SESSION_DURATION)
                                    .toSeconds());
                    role.put("policy", keys.find(StoreKey.ROLE_POLICY).orElse(null));
                    role.put("endpoint", keys.find(StoreKey.STS_ENDPOINT).orElse(null));
                    role.put("region", keys.find(StoreKey.STS_REGION).orElse(null));
                    return role;
                });
    }

    // A plain number is of seconds; TimeUtils would take it for milliseconds.
    private static Duration duration(String text) {
        return text.matches("\\d+")
                ? Duration.ofSeconds(Long.parseLong(text))
                : TimeUtils.parseDuration(text);
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
