package io.partitionbridge.credentials;

import io.partitionbridge.credentials.StoreKey.Fate;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Whether the bridge can honour all that Flink's configuration says of a table's store. */
public final class StoreKeys {

    /** Prefixes in the order of precedence. */
    private static final List<String> PREFIXES = List.of("fs.s3a.", "s3a.", "s3.", "presto.s3.");

    static final String BUCKET = "bucket.";

    // The one key that s3-fs-native has under a prefix of its own.
    private static final String PROVIDERS_OF_NATIVE = "fs.s3.aws.credentials.provider";

    // Names of the SDKs; each generation has its own for the same signature.
    private static final Set<String> VERSION_4 =
            Set.of(
                    "AWSS3V4SignerType",
                    "AWS4SignerType",
                    "AWS4UnsignedPayloadSignerType",
                    "AwsS3V4Signer",
                    "Aws4Signer");

    static final String VERSION_2 = "S3SignerType";

    private static final String REMEDY =
            "The bridge can't translate it; remove it or reach the store without it.";

    private final Map<String, String> configuration;
    private final URI location;
    private final StoreClasses classes;

    private StoreKeys(Map<String, String> configuration, URI location, StoreClasses classes) {
        this.configuration = new TreeMap<>(configuration);
        this.location = location;
        this.classes = classes;
    }

    /**
     * A key that the bridge can't honour for a table.
     *
     * @param remedy what to change; the key's value is never told, but for names of classes
     */
    public record Unsupported(String key, String remedy) {}

    /**
     * The first key, by name, that the bridge can't honour for this table.
     *
     * @param configuration Flink's configuration
     * @param location of the table; keys for other buckets don't count
     */
    public static Optional<Unsupported> unsupported(
            Map<String, String> configuration, URI location) {
        return unsupported(configuration, location, new StoreClasses(location));
    }

    static Optional<Unsupported> unsupported(
            Map<String, String> configuration, URI location, StoreClasses classes) {
        StoreKeys keys = new StoreKeys(configuration, location, classes);
        return keys.configuration.entrySet().stream()
                .flatMap(
                        entry ->
                                keys
                                        .refusal(entry.getKey(), entry.getValue().trim())
                                        .map(remedy -> new Unsupported(entry.getKey(), remedy))
                                        .stream())
                .findFirst();
    }

    // What to do about a key that can't be honoured.
    private Optional<String> refusal(String key, String value) {
        if (DelegationTokens.ofUnknownService(key)) {
            return Optional.of(REMEDY);
        }
        Optional<String> name = name(key, location.getAuthority());
        if (name.isEmpty()) {
            return Optional.empty();
        }
        Optional<StoreKey> known =
                Arrays.stream(StoreKey.values())
                        .filter(each -> each.isCalled(name.get()))
                        .findFirst();
        if (known.isEmpty()) {
            return Optional.of(REMEDY);
        }
        return switch (known.get()) {
            case PROVIDERS -> refusalOfProviders(value, true);
            case ROLE_PROVIDERS -> refusalOfProviders(value, false);
            case ENCRYPTION -> unless(ObjectSettings.encryptsInStore(value));
            case SIGNER -> unless(VERSION_4.contains(value) || value.equals(VERSION_2));
            case KEY_STORE -> unless(classes.find(HadoopSettings.KIND).isPresent());
            case OWN_CLASS -> unless(value.endsWith(".DefaultS3ClientFactory"));
            default -> unless(known.get().fate != Fate.FALLS_BACK);
        };
    }

    private static Optional<String> unless(boolean supported) {
        return supported ? Optional.empty() : Optional.of(REMEDY);
    }

    private Optional<String> refusalOfProviders(String value, boolean assumed) {
        return unless(CredentialProviders.combines(value, assumed))
                .or(
                        () ->
                                CredentialProviders.unknown(value).stream()
                                        .filter(each -> !isCallable(each))
                                        .findFirst()
                                        .map(StoreKeys::makeCallable));
    }

    private boolean isCallable(String provider) {
        return JavaProvider.find(classes, provider, location, Map.of()).isPresent();
    }

    private static String makeCallable(String provider) {
        return String.format(
                "The bridge can't call '%s': put its jar, with all that it needs, into Flink's lib/ or"
                        + " beside the S3 plugin. It must have a public method"
                        + " resolveCredentials() or getCredentials(), and a static create() or"
                        + " getInstance(), or a public constructor that takes nothing.",
                provider);
    }

    /** Empty for a key that no S3 plugin reads. */
    static Optional<String> withoutPrefix(String key) {
        if (key.equals(PROVIDERS_OF_NATIVE)) {
            return Optional.of(key.substring("fs.s3.".length()));
        }
        return PREFIXES.stream()
                .filter(key::startsWith)
                .findFirst()
                .map(prefix -> key.substring(prefix.length()));
    }

    /**
     * Every way to write a key, in the order of precedence.
     *
     * @param scope "bucket.NAME." for what a bucket has of its own, else empty
     */
    static Stream<String> spellings(StoreKey key, String scope) {
        Stream<String> common =
                PREFIXES.stream()
                        .flatMap(prefix -> key.names.stream().map(name -> prefix + scope + name));
        return key == StoreKey.PROVIDERS && scope.isEmpty()
                ? Stream.concat(common, Stream.of(PROVIDERS_OF_NATIVE))
                : common;
    }

    // Without prefix and without this bucket's; empty for what isn't a key of this store.
    static Optional<String> name(String key, String bucket) {
        return withoutPrefix(key)
                .map(
                        name ->
                                name.startsWith(BUCKET + bucket + ".")
                                        ? name.substring(BUCKET.length() + bucket.length() + 1)
                                        : name)
                .filter(name -> !name.startsWith(BUCKET) || StoreKey.READING.isCalled(name));
    }
}
