package io.partitionbridge.credentials;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassReader;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** That {@link StoreKey} has every key which the classes of Flink's S3 plugins name. */
class PluginKeysTest {

    private static final URI LAKE = URI.create("s3://lake");

    private static final List<String> PACKAGES =
            List.of(
                    "org/apache/hadoop/fs/s3a/",
                    "org/apache/flink/fs/s3",
                    "com/facebook/presto/hive/s3/");

    private static final Pattern KEY =
            Pattern.compile(
                    "(fs\\.s3a?|s3a?|presto\\.s3|presto\\.hive\\.s3)\\.[a-z0-9.-]*[a-z0-9]");

    // What a path can do, for programs that ask it, and hosts: these are no keys.
    private static final Pattern NO_KEY =
            Pattern.compile("fs\\.s3a\\.capability\\..*|.*\\.amazonaws\\.com");

    // JVMS 4.4-B.
    private static final int CONSTANT_STRING = 8;

    // Of the whole configuration rather than a store's.
    private static final Set<String> OF_HADOOP = Set.of("fs.s3.impl");

    @ParameterizedTest(name = "{0}")
    @CsvSource({"hadoop, 140", "presto, 140", "native, 30"})
    @DisplayName("No key of a plugin is forgotten.")
    void knowsEveryKey(String plugin, int least) throws IOException {
        Set<String> keys = keys(plugin);

        assertThat(keys).as("keys are found").hasSizeGreaterThanOrEqualTo(least);
        assertThat(keys)
                .filteredOn(key -> !key.startsWith("presto.hive.s3."))
                .filteredOn(key -> StoreKeys.withoutPrefix(key).filter(this::isKnown).isEmpty())
                .filteredOn(key -> !OF_HADOOP.contains(key))
                .as("what s3-fs-%s reads and the table lacks", plugin)
                .isEmpty();
    }

    private boolean isKnown(String name) {
        return Arrays.stream(StoreKey.values()).anyMatch(key -> key.isCalled(name));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("Of the keys of objects a plugin knows those that its classes name.")
    void knowsWhatItsClassesName(S3Plugin plugin) throws IOException {
        Set<String> named = keys(plugin.title.replace("s3-fs-", ""));

        for (String name :
                S3Plugin.OF_OBJECTS.stream().flatMap(key -> key.names.stream()).toList()) {
            assertThat(plugin.knows(name))
                    .as("%s and %s", plugin.title, name)
                    .isEqualTo(named.contains(plugin.prefixes.get(0) + name));
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "HADOOP, fs.s3a.encryption.algorithm,",
        "HADOOP, s3.server-side-encryption-algorithm,",
        "HADOOP, fs.s3a.bucket.lake.acl.default,",
        "HADOOP, fs.s3a.bucket.other.encryption.context,",
        "HADOOP, s3.sse.type, s3.sse.type",
        "HADOOP, fs.s3a.requester.pays.enabled, fs.s3a.requester.pays.enabled",
        "PRESTO, s3.storage-class,",
        "PRESTO, fs.s3a.acl.default, fs.s3a.acl.default",
        "NATIVE, s3.sse.type,",
        "NATIVE, fs.s3a.encryption.key, fs.s3a.encryption.key",
        "NATIVE, fs.s3a.bucket.lake.sse.type, fs.s3a.bucket.lake.sse.type",
        "NATIVE, s3.access-key,"
    })
    @DisplayName("Of a configuration a plugin ignores what it has no such key for.")
    void ignores(S3Plugin plugin, String key, String expected) {
        assertThat(plugin.ignored(Map.of(key, "x"), LAKE))
                .isEqualTo(expected == null ? List.of() : List.of(expected));
    }

    @Test
    @DisplayName("What is said twice, once in the plugin's own way, isn't ignored.")
    void takesItsOwnSpelling() {
        Map<String, String> both =
                Map.of("fs.s3a.encryption.algorithm", "SSE-KMS", "s3.sse.type", "sse-kms");

        assertThat(S3Plugin.NATIVE.ignored(both, LAKE)).isEmpty();
        assertThat(S3Plugin.HADOOP.ignored(both, LAKE)).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"iam-role", "iam-role-session-name"})
    @DisplayName("Presto's role can't be set from Flink, whose keys all get another prefix.")
    void prestosRoleIsOutOfReach(String name) throws IOException {
        assertThat(keys("presto"))
                .as("else it has to be translated")
                .contains("presto.hive.s3." + name)
                .doesNotContain("presto.s3." + name);
    }

    private static Set<String> keys(String plugin) throws IOException {
        Set<String> keys = new TreeSet<>();
        try (JarFile jar = new JarFile("target/s3-plugins/flink-s3-fs-" + plugin + ".jar")) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                if (entry.getName().endsWith(".class")
                        && !entry.getName().contains("/shaded/")
                        && PACKAGES.stream().anyMatch(entry.getName()::startsWith)) {
                    constants(new ClassReader(jar.getInputStream(entry)), keys);
                }
            }
        }
        keys.removeIf(text -> !KEY.matcher(text).matches() || NO_KEY.matcher(text).matches());
        return keys;
    }

    private static void constants(ClassReader type, Set<String> found) {
        char[] buffer = new char[type.getMaxStringLength()];
        for (int item = 1; item < type.getItemCount(); item++) {
            int offset = type.getItem(item);
            if (offset > 0 && type.readByte(offset - 1) == CONSTANT_STRING) {
                found.add((String) type.readConst(item, buffer));
            }
        }
    }
}
