package io.partitionbridge.credentials;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** How the store keeps an object: encryption, ACL, storage class, and who pays. */
final class ObjectSettings {

    private static final Set<String> ACLS =
            Set.of(
                    "private",
                    "public-read",
                    "public-read-write",
                    "authenticated-read",
                    "aws-exec-read",
                    "bucket-owner-read",
                    "bucket-owner-full-control",
                    "log-delivery-write");

    // The spellings of hadoop-aws, s3-fs-native and s3-fs-presto, as S3's headers say them; "c"
    // stands for a key that the client brings along.
    private static final Map<String, String> ENCRYPTIONS =
            Map.ofEntries(
                    Map.entry("aes256", "AES256"),
                    Map.entry("sse-s3", "AES256"),
                    Map.entry("s3", "AES256"),
                    Map.entry("sse-kms", "aws:kms"),
                    Map.entry("aws:kms", "aws:kms"),
                    Map.entry("kms", "aws:kms"),
                    Map.entry("sse-c", "c"));

    private ObjectSettings() {}

    static boolean encryptsInStore(String algorithm) {
        return none(algorithm) || ENCRYPTIONS.containsKey(algorithm.toLowerCase(Locale.ROOT));
    }

    /**
     * @return encryption ("AES256", "aws:kms", "c"), encryption_key, encryption_context, acl,
     *     storage_class; null where not configured; requester_pays
     * @throws IllegalArgumentException for an ACL that S3 hasn't
     */
    static Map<String, Object> resolve(StoreConfiguration keys) {
        Optional<String> encryption = encryption(keys);
        Map<String, Object> objects = new LinkedHashMap<>();
        objects.put("encryption", encryption.orElse(null));
        objects.put(
                "encryption_key",
                encryption.flatMap(any -> keys.find(StoreKey.ENCRYPTION_KEY)).orElse(null));
        objects.put(
                "encryption_context",
                encryption.flatMap(any -> keys.find(StoreKey.ENCRYPTION_CONTEXT)).orElse(null));
        objects.put("acl", keys.find(StoreKey.ACL).map(ObjectSettings::acl).orElse(null));
        objects.put(
                "storage_class",
                keys.find(StoreKey.STORAGE_CLASS)
                        .map(name -> name.toUpperCase(Locale.ROOT))
                        .orElse(null));
        objects.put("requester_pays", keys.isSet(StoreKey.REQUESTER_PAYS));
        return objects;
    }

    private static Optional<String> encryption(StoreConfiguration keys) {
        Optional<String> type = keys.find(StoreKey.ENCRYPTION);
        Optional<String> presto = keys.find(StoreKey.ENCRYPTION_SWITCH);
        if (presto.isPresent()) {
            return Boolean.parseBoolean(presto.get())
                    ? Optional.of(ENCRYPTIONS.get(type.orElse("s3").toLowerCase(Locale.ROOT)))
                    : Optional.empty();
        }
        return type.filter(name -> !none(name)).map(ObjectSettings::inStore);
    }

    // Planning has looked at the configuration, but not into key stores.
    private static String inStore(String algorithm) {
        if (!encryptsInStore(algorithm)) {
            throw new IllegalArgumentException(
                    "The encryption in the key store of Flink's configuration is none that the"
                            + " bridge has: SSE-S3, SSE-KMS or SSE-C. Write it into"
                            + " 'fs.s3a.encryption.algorithm', and Flink's own sink writes the table.");
        }
        return ENCRYPTIONS.get(algorithm.toLowerCase(Locale.ROOT));
    }

    private static boolean none(String algorithm) {
        return algorithm.isEmpty() || algorithm.equalsIgnoreCase("none");
    }

    // BucketOwnerFullControl and BUCKET_OWNER_FULL_CONTROL are bucket-owner-full-control.
    private static String acl(String name) {
        String acl =
                name.replaceAll("([a-z])([A-Z])", "$1-$2")
                        .replace('_', '-')
                        .toLowerCase(Locale.ROOT);
        if (!ACLS.contains(acl)) {
            throw new IllegalArgumentException(
                    String.format(
                            "'%s' in Flink's configuration is no canned ACL of S3. Set one of %s.",
                            name, List.copyOf(new TreeSet<>(ACLS))));
        }
        return acl;
    }
}
