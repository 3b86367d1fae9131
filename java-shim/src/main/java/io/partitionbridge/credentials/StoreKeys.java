package io.partitionbridge.credentials;

import io.partitionbridge.credentials.StoreKey.Fate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Whether the bridge can honour all that Flink's configuration says of a table's store. */
public final class StoreKeys {

    /** Prefixes in the order of precedence. */
    static final List<String> PREFIXES = List.of("fs.s3a.", "s3a.", "s3.", "presto.s3.");

    static final String BUCKET = "bucket.";

    // Credentials that Flink itself fetches and hands out to the TaskManagers. There they are in
    // static fields of the S3 plugin's class loader, and Flink allows one receiver of each service:
    // out of reach, so they fall back. The services are s3-hadoop, s3-presto and s3-native.
    private static final Pattern DELEGATION =
            Pattern.compile("security\\.delegation\\.token\\.provider\\.s3[^.]*\\.(?!enabled$).*");

    private StoreKeys() {}

    /**
     * The first key, by name, that the bridge can't honour for this table; its value is never told.
     *
     * @param configuration Flink's configuration
     * @param bucket of the table; keys for other buckets don't count
     */
    public static Optional<String> unsupported(Map<String, String> configuration, String bucket) {
        for (Map.Entry<String, String> entry : new TreeMap<>(configuration).entrySet()) {
            String key = entry.getKey();
            if (DELEGATION.matcher(key).matches()) {
                return Optional.of(key);
            }
            Optional<String> name = name(key, bucket);
            if (name.isPresent() && !supported(name.get(), entry.getValue().trim())) {
                return Optional.of(key);
            }
        }
        return Optional.empty();
    }

    private static boolean supported(String name, String value) {
        Optional<StoreKey> key =
                Arrays.stream(StoreKey.values()).filter(each -> each.isCalled(name)).findFirst();
        if (key.isEmpty()) {
            return false;
        }
        return switch (key.get()) {
            case PROVIDERS -> CredentialProviders.supported(value, true);
            case ROLE_PROVIDERS -> CredentialProviders.supported(value, false);
            case ENCRYPTION -> ObjectSettings.encryptsInStore(value);
            case PIN_REGION -> value.equalsIgnoreCase("false");
            default -> key.get().fate != Fate.FALLS_BACK;
        };
    }

    // Without prefix and without this bucket's; empty for what isn't a key of this store.
    private static Optional<String> name(String key, String bucket) {
        return PREFIXES.stream()
                .filter(key::startsWith)
                .findFirst()
                .map(prefix -> key.substring(prefix.length()))
                .map(
                        name ->
                                name.startsWith(BUCKET + bucket + ".")
                                        ? name.substring(BUCKET.length() + bucket.length() + 1)
                                        : name)
                .filter(name -> !name.startsWith(BUCKET) || StoreKey.READING.isCalled(name));
    }
}
