package io.partitionbridge.credentials;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Java classes that give AWS credentials, told as the sources that the writer's client has: the
 * names of botocore's own providers, "configured", "default" (the whole chain) and "anonymous".
 *
 * <p>Classes are known by their simple names: the SDKs, and hadoop-aws, have the same in several
 * packages. Any other is a {@link JavaProvider}'s: "java:" and its name.
 */
final class CredentialProviders {

    static final String CONFIGURED = "configured";
    static final String ANONYMOUS = "anonymous";
    private static final String ASSUMED = "assumed";
    private static final String JAVA = "java:";
    static final String DEFAULT = "default";

    private static final List<String> CONTAINER_OR_INSTANCE = List.of("container-role", "iam-role");
    private static final List<String> PROFILE =
            List.of(
                    "assume-role",
                    "sso",
                    "shared-credentials-file",
                    "custom-process",
                    "config-file");

    private static final Map<String, List<String>> SOURCES =
            Map.ofEntries(
                    Map.entry("SimpleAWSCredentialsProvider", List.of(CONFIGURED)),
                    Map.entry("TemporaryAWSCredentialsProvider", List.of(CONFIGURED)),
                    Map.entry("EnvironmentVariableCredentialsProvider", List.of("env")),
                    Map.entry("ProfileCredentialsProvider", PROFILE),
                    Map.entry("IAMInstanceCredentialsProvider", CONTAINER_OR_INSTANCE),
                    Map.entry("EC2ContainerCredentialsProviderWrapper", CONTAINER_OR_INSTANCE),
                    Map.entry("ContainerCredentialsProvider", List.of("container-role")),
                    Map.entry("InstanceProfileCredentialsProvider", List.of("iam-role")),
                    Map.entry(
                            "WebIdentityTokenCredentialsProvider",
                            List.of("assume-role-with-web-identity")),
                    Map.entry(
                            "WebIdentityTokenFileCredentialsProvider",
                            List.of("assume-role-with-web-identity")),
                    Map.entry("DefaultAWSCredentialsProviderChain", List.of(DEFAULT)),
                    Map.entry("DefaultCredentialsProvider", List.of(DEFAULT)),
                    Map.entry("AnonymousAWSCredentialsProvider", List.of(ANONYMOUS)),
                    Map.entry("AnonymousCredentialsProvider", List.of(ANONYMOUS)),
                    Map.entry("AssumedRoleCredentialProvider", List.of(ASSUMED)));

    private CredentialProviders() {}

    /** Classes that the writer's client has nothing for. */
    static List<String> unknown(String classes) {
        return StoreClasses.names(classes).stream()
                .filter(name -> !SOURCES.containsKey(simple(name)))
                .toList();
    }

    /**
     * @param assumed whether a role may be assumed, which works alone and not as one of several
     */
    static boolean combines(String classes, boolean assumed) {
        return !assumesRole(classes) || (assumed && StoreClasses.names(classes).size() == 1);
    }

    static boolean assumesRole(String classes) {
        return sourcesOf(classes).contains(ASSUMED);
    }

    /** Sources in their order; empty where a role's own are meant, or none is named. */
    static Optional<List<String>> sources(String classes) {
        List<String> sources = sourcesOf(classes);
        return sources.isEmpty() || sources.contains(ASSUMED)
                ? Optional.empty()
                : Optional.of(sources);
    }

    private static List<String> sourcesOf(String classes) {
        return StoreClasses.names(classes).stream()
                .flatMap(name -> SOURCES.getOrDefault(simple(name), List.of(JAVA + name)).stream())
                .distinct()
                .toList();
    }

    /** The class that a source is, if it's one that only Java can ask. */
    static Optional<String> javaClass(String source) {
        return source.startsWith(JAVA)
                ? Optional.of(source.substring(JAVA.length()))
                : Optional.empty();
    }

    private static String simple(String name) {
        return name.replaceAll(".*[.$]", "");
    }
}
