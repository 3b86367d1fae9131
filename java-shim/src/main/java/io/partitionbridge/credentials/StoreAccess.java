package io.partitionbridge.credentials;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.util.TimeUtils;

/**
 * Who the writer is to the store: keys, the sources of credentials, and the role that it takes. Of
 * the sources some are inside this JVM: configured keys, delegation tokens, Java classes. The first
 * of these that has keys gives them to the writer, which looks into all others itself.
 */
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

    private static final String TOKENS = "delegation tokens";

    private final StoreConfiguration keys;
    private final DelegationTokens tokens;
    private final Function<String, Optional<JavaProvider>> classes;

    /**
     * @param classes the credential providers by the names of their classes, each made once
     */
    StoreAccess(
            StoreConfiguration keys,
            DelegationTokens tokens,
            Function<String, Optional<JavaProvider>> classes) {
        this.keys = keys;
        this.tokens = tokens;
        this.classes = classes;
    }

    /**
     * @param environment of the TaskManager, which counts only where keys don't decide
     * @return access_key, secret_key, session_token, ask_again_ms, providers, role,
     *     aws_environment; null where nothing is configured
     * @throws IllegalArgumentException when an access key has no secret key, or the other way
     *     round; or no source that is named gives any
     */
    Map<String, Object> resolve(Map<String, String> environment) {
        Optional<List<String>> sources = sources();
        Optional<Given> given = given(sources);
        Optional<List<String>> providers = sources.map(named -> told(named, given));
        if (providers.filter(List::isEmpty).isPresent()) {
            throw new IllegalArgumentException(
                    String.format(
                            "No credentials for bucket '%s': %s of Flink's configuration give none."
                                    + " The TaskManager's log says why.",
                            keys.bucket(),
                            sources.orElseThrow().stream()
                                    .map(each -> CredentialProviders.javaClass(each).orElse(each))
                                    .collect(Collectors.joining(", "))));
        }
        boolean keysDecide =
                given.isPresent()
                        && providers
                                .map(named -> named.get(0).equals(CredentialProviders.CONFIGURED))
                                .orElse(true);
        boolean nobody = providers.equals(Optional.of(List.of(CredentialProviders.ANONYMOUS)));
        boolean pinned = keys.isSet(StoreKey.PIN_REGION);
        Map<String, Object> access = keys(given);
        access.put("providers", providers.orElse(null));
        access.put("role", role().orElse(null));
        access.put(
                "aws_environment",
                (keysDecide || nobody) && !pinned ? Map.of() : awsOnly(environment));
        return access;
    }

    /**
     * access_key, secret_key, session_token, ask_again_ms; null where nothing is configured or none
     * counts.
     */
    Map<String, Object> keys() {
        return keys(given(sources()));
    }

    /** Keys of one source. */
    private record Given(String source, Map<String, Object> keys) {}

    private static Map<String, Object> keys(Optional<Given> given) {
        Map<String, Object> keys = new LinkedHashMap<>();
        for (String name : List.of("access_key", "secret_key", "session_token", "ask_again_ms")) {
            keys.put(name, given.map(each -> each.keys().get(name)).orElse(null));
        }
        return keys;
    }

    // Of the first source inside this JVM that has keys.
    private Optional<Given> given(Optional<List<String>> sources) {
        Optional<Map<String, Object>> configured = configured();
        return sources.orElse(List.of(CredentialProviders.CONFIGURED)).stream()
                .flatMap(
                        source ->
                                (source.equals(CredentialProviders.CONFIGURED)
                                                ? configured
                                                : handedOut(source)
                                                        .map(found -> found.toMap(Instant.now())))
                                        .map(found -> new Given(source, found)).stream())
                .findFirst();
    }

    private Optional<SessionKeys> handedOut(String source) {
        return source.equals(TOKENS)
                ? tokens.keys()
                : CredentialProviders.javaClass(source)
                        .flatMap(classes)
                        .flatMap(JavaProvider::keys);
    }

    private static boolean isHandedOut(String source) {
        return source.equals(TOKENS) || CredentialProviders.javaClass(source).isPresent();
    }

    // As the writer knows them: keys that it is given are "configured", whoever gave them.
    private List<String> told(List<String> sources, Optional<Given> given) {
        List<String> told = new ArrayList<>();
        for (String source : sources) {
            if (given.filter(each -> each.source().equals(source)).isPresent()) {
                told.add(CredentialProviders.CONFIGURED);
            } else if (!isHandedOut(source)
                    && (given.isEmpty() || !source.equals(CredentialProviders.CONFIGURED))) {
                told.add(source);
            }
        }
        return told;
    }

    private Optional<Map<String, Object>> configured() {
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
        return accessKey.map(
                name -> {
                    Map<String, Object> found = new LinkedHashMap<>();
                    found.put("access_key", name);
                    found.put("secret_key", secretKey.orElseThrow());
                    found.put("session_token", keys.find(StoreKey.SESSION_TOKEN).orElse(null));
                    return found;
                });
    }

    // In their order; empty for configured keys, or else the default chain.
    private Optional<List<String>> sources() {
        Optional<List<String>> named = providers();
        if (!tokens.configured()) {
            return named;
        }
        List<String> sources =
                new ArrayList<>(
                        named.orElse(
                                List.of(
                                        CredentialProviders.CONFIGURED,
                                        CredentialProviders.DEFAULT)));
        int configured = sources.indexOf(CredentialProviders.CONFIGURED);
        sources.add(tokens.afterConfiguredKeys() ? configured + 1 : 0, TOKENS);
        return Optional.of(sources);
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
