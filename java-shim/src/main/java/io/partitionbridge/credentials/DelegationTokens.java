package io.partitionbridge.credentials;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.configuration.SecurityOptions;

/**
 * Session keys that Flink's JobManager fetches from STS and hands to every TaskManager, long before
 * they expire anew ("delegation tokens"). The receiver is the S3 plugin's: Flink allows one of each
 * service, so the keys are read from where it keeps them.
 */
final class DelegationTokens {

    private static final Pattern KEY =
            Pattern.compile("security\\.delegation\\.token\\.provider\\.(s3[^.]*)\\.(.*)");
    private static final List<String> SERVICES = List.of("s3-hadoop", "s3-presto", "s3-native");
    private static final List<String> NEEDED = List.of("region", "access-key", "secret-key");

    private static final String HADOOPS =
            "org.apache.flink.fs.s3.common.token.AbstractS3DelegationTokenReceiver";
    private static final String NATIVE =
            "org.apache.flink.fs.s3native.token.NativeS3DelegationTokenReceiver";

    private final Map<String, String> configuration;
    private final StoreClasses classes;

    DelegationTokens(Map<String, String> configuration, StoreClasses classes) {
        this.configuration = configuration;
        this.classes = classes;
    }

    /** Whether a key is about tokens of a service whose receiver isn't known. */
    static boolean ofUnknownService(String key) {
        Matcher matcher = KEY.matcher(key);
        return matcher.matches()
                && !SERVICES.contains(matcher.group(1))
                && !matcher.group(2).equals("enabled");
    }

    /** Empty where Flink fetches none, or this process has been given none. */
    Optional<SessionKeys> keys() {
        return configured() ? receiver().flatMap(DelegationTokens::read) : Optional.empty();
    }

    /**
     * The region that goes with the tokens before any other one that is configured; s3-fs-native
     * uses it for STS only.
     */
    Optional<String> region() {
        return services()
                .filter(service -> !afterConfiguredKeys())
                .map(service -> value(service, "region"))
                .findFirst();
    }

    /** s3-fs-native looks at configured keys first, the others at the tokens. */
    boolean afterConfiguredKeys() {
        return classes.findInPlugin(NATIVE).isPresent();
    }

    boolean configured() {
        return services().findAny().isPresent();
    }

    private Stream<String> services() {
        boolean on =
                Boolean.parseBoolean(
                        configuration.getOrDefault(
                                SecurityOptions.DELEGATION_TOKENS_ENABLED.key(), "true"));
        return SERVICES.stream()
                .filter(service -> on && !value(service, "enabled").equalsIgnoreCase("false"))
                .filter(
                        service ->
                                NEEDED.stream().noneMatch(name -> value(service, name).isBlank()));
    }

    private String value(String service, String name) {
        return configuration.getOrDefault(
                "security.delegation.token.provider." + service + "." + name, "");
    }

    private Optional<Class<?>> receiver() {
        return classes.findInPlugin(HADOOPS).or(() -> classes.findInPlugin(NATIVE));
    }

    private static Optional<SessionKeys> read(Class<?> receiver) {
        try {
            return SessionKeys.of(receiver.getMethod("getCredentials").invoke(null));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "The S3 plugin's delegation tokens can't be read. Set"
                            + " 's3.access-key' and 's3.secret-key' instead.",
                    e);
        }
    }
}
