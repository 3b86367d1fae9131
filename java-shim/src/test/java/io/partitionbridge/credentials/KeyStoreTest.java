package io.partitionbridge.credentials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.hadoop.security.alias.CredentialProvider;
import org.apache.hadoop.security.alias.CredentialProviderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets in a key store that Hadoop's own classes have made. */
class KeyStoreTest {

    private static final URI BUCKET = URI.create("s3://lake");

    @TempDir Path folder;
    private String path;
    private final Map<String, String> flink = new HashMap<>();

    @BeforeEach
    void configure() {
        path = "localjceks://file" + folder.resolve("keys.jceks");
        flink.put("fs.s3a.security.credential.provider.path", path);
    }

    private void create(Map<String, String> secrets) throws Exception {
        org.apache.hadoop.conf.Configuration hadoop = new org.apache.hadoop.conf.Configuration();
        hadoop.set(CredentialProviderFactory.CREDENTIAL_PROVIDER_PATH, path);
        CredentialProvider store = CredentialProviderFactory.getProviders(hadoop).get(0);
        for (Map.Entry<String, String> each : secrets.entrySet()) {
            store.createCredentialEntry(each.getKey(), each.getValue().toCharArray());
        }
        store.flush();
    }

    private Map<String, Object> resolve() {
        return new StoreSettings(Configuration.fromMap(flink), BUCKET).resolve(Map.of());
    }

    @Test
    @DisplayName(
            "Keys come from the store, a bucket's own first, and go before those of the configuration.")
    void keysOfTheStore() throws Exception {
        create(
                Map.of(
                        "fs.s3a.access.key", "general",
                        "fs.s3a.bucket.lake.access.key", "lakes",
                        "fs.s3a.secret.key", "stored-secret",
                        "fs.s3a.proxy.password", "word"));
        flink.put("s3.secret-key", "configured-secret");
        flink.put("fs.s3a.session.token", "configured-token");
        flink.put("fs.s3a.proxy.host", "proxy");
        flink.put("fs.s3a.proxy.username", "user");

        assertThat(resolve())
                .containsEntry("access_key", "lakes")
                .containsEntry("secret_key", "stored-secret")
                .as("what the store hasn't is the configuration's")
                .containsEntry("session_token", "configured-token")
                .containsEntry("proxy", "http://user:word@proxy:443");
        assertThat(StoreKeys.unsupported(flink, BUCKET)).as("no fallback").isEmpty();
    }

    @Test
    @DisplayName(
            "An encryption that only the client can do is refused, even if the store hides it.")
    void clientEncryption() throws Exception {
        create(Map.of("fs.s3a.encryption.algorithm", "CSE-KMS"));

        assertThatThrownBy(this::resolve)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fs.s3a.encryption.algorithm");
    }

    @Test
    @DisplayName("A store that can't be read is an error that says what to see to.")
    void unreadable() {
        flink.put(
                "fs.s3a.security.credential.provider.path",
                "localjceks://file" + folder.toAbsolutePath());

        assertThatThrownBy(this::resolve)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("can't be read");
    }

    @Test
    @DisplayName("Without Hadoop's classes the key falls back at planning, and fails a task.")
    void withoutHadoop() {
        StoreClasses nothing =
                new StoreClasses(BUCKET) {
                    @Override
                    Optional<Class<?>> find(String name) {
                        return Optional.empty();
                    }
                };

        assertThat(StoreKeys.unsupported(flink, BUCKET, nothing))
                .map(StoreKeys.Unsupported::key)
                .contains("fs.s3a.security.credential.provider.path");
        assertThatThrownBy(
                        () ->
                                new StoreSettings(Configuration.fromMap(flink), BUCKET, nothing)
                                        .resolve(Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs Hadoop's classes");
    }
}
