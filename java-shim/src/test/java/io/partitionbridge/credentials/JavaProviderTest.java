package io.partitionbridge.credentials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Credential providers of a user's own: what each generation of the SDK calls, by other classes.
 */
class JavaProviderTest {

    private static final URI BUCKET = URI.create("s3://lake");
    private static final String HERE = JavaProviderTest.class.getName() + "$";

    private static int version;
    private static boolean sealed;
    private static Duration life;

    @BeforeEach
    void fresh() {
        version = 1;
        sealed = false;
        life = Duration.ofHours(1);
    }

    /** As AwsSessionCredentials of the second generation: not public, behind its methods. */
    private static final class Second {
        public String accessKeyId() {
            return "AK" + version;
        }

        public String secretAccessKey() {
            return "SK" + version;
        }

        public String sessionToken() {
            return "T" + version;
        }

        public Optional<Instant> expirationTime() {
            return Optional.ofNullable(life).map(Instant.now()::plus);
        }
    }

    /** As BasicAWSCredentials of the first. */
    private static final class First {
        private final String mark;

        First(String mark) {
            this.mark = mark;
        }

        public String getAWSAccessKeyId() {
            return "AK" + mark;
        }

        public String getAWSSecretKey() {
            return "SK" + mark;
        }
    }

    /** Made by its static method, as the SDK's own of the second generation. */
    public static final class ByCreate {
        private ByCreate() {}

        public static ByCreate create() {
            return new ByCreate();
        }

        public Object resolveCredentials() {
            if (sealed) {
                throw new IllegalStateException("sealed");
            }
            return new Second();
        }
    }

    public static class ByConstructor {
        public Object getCredentials() {
            return new First("1");
        }
    }

    /** As hadoop-aws and Presto make theirs. */
    public static class ByConfiguration {
        private final String mark;

        public ByConfiguration(URI bucket, org.apache.hadoop.conf.Configuration configuration) {
            mark = bucket.getHost() + configuration.get("fs.s3a.vault.role");
        }

        public Object getCredentials() {
            return new First(mark);
        }
    }

    public static class Uncallable {
        public Uncallable(String needed) {}

        public Object getCredentials() {
            return null;
        }
    }

    public static class NoProvider {}

    private static StoreSettings settings(String provider) {
        return new StoreSettings(
                Configuration.fromMap(
                        Map.of(
                                "fs.s3a.aws.credentials.provider",
                                provider,
                                "s3.vault.role",
                                "-reader")),
                BUCKET);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ByCreate", "ByConstructor"})
    @DisplayName(
            "A class of either generation gives the keys, which the writer takes for configured.")
    void callsEitherGeneration(String name) {
        assertThat(settings(HERE + name).resolve(Map.of()))
                .containsEntry("access_key", "AK1")
                .containsEntry("secret_key", "SK1")
                .containsEntry("providers", java.util.List.of("configured"))
                .as("at least once a minute somebody looks for others")
                .containsEntry("ask_again_ms", 60_000L);
    }

    @Test
    @DisplayName(
            "A class that wants Hadoop's configuration gets the bucket and Flink's keys in it.")
    void givesHadoopsConfiguration() {
        assertThat(settings(HERE + "ByConfiguration").resolve(Map.of()))
                .containsEntry("access_key", "AKlake-reader");
    }

    @Test
    @DisplayName("Each look gives what the class says by then; keys outlive a class that fails.")
    void asksAgain() {
        StoreSettings store = settings(HERE + "ByCreate");
        assertThat(store.resolve(Map.of())).containsEntry("session_token", "T1");

        version = 2;
        assertThat(store.currentKeys(new Configuration()))
                .containsEntry("access_key", "AK2")
                .containsEntry("session_token", "T2");

        sealed = true;
        assertThat(store.currentKeys(new Configuration()))
                .as("those may be good still; the store says so if not")
                .containsEntry("session_token", "T2");
    }

    @ParameterizedTest(name = "{0} s")
    @ValueSource(longs = {3600, 30, 0})
    @DisplayName(
            "Keys that end soon are asked for in half of the time that is left, and never in a rush.")
    void asksInTime(long seconds) {
        life = Duration.ofSeconds(seconds);
        long askAgain = (long) settings(HERE + "ByCreate").resolve(Map.of()).get("ask_again_ms");

        assertThat(askAgain)
                .isBetween(
                        Math.max(1_000, Math.min(60_000, seconds * 300)),
                        Math.max(1_000, Math.min(60_000, seconds * 500)));
    }

    @Test
    @DisplayName(
            "A class that gives none lets the next source have its turn, or is named if it's the last.")
    void nextSource() {
        sealed = true;
        assertThat(
                        settings(HERE + "ByCreate,EnvironmentVariableCredentialsProvider")
                                .resolve(Map.of()))
                .containsEntry("access_key", null)
                .containsEntry("providers", java.util.List.of("env"));
        assertThatThrownBy(() -> settings(HERE + "ByCreate").resolve(Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("No credentials for bucket 'lake': " + HERE + "ByCreate");
        sealed = false;
        assertThat(
                        settings("EnvironmentVariableCredentialsProvider," + HERE + "ByCreate")
                                .resolve(Map.of()))
                .as("its place among the sources stays")
                .containsEntry("providers", java.util.List.of("env", "configured"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Uncallable", "NoProvider", "Nowhere"})
    @DisplayName(
            "A class that can't be seen, made or called falls back, and the remedy says what is missing.")
    void fallsBack(String name) {
        assertThat(
                        StoreKeys.unsupported(
                                Map.of("s3.aws.credentials.provider", HERE + name), BUCKET))
                .hasValueSatisfying(
                        refused -> {
                            assertThat(refused.key()).isEqualTo("s3.aws.credentials.provider");
                            assertThat(refused.remedy())
                                    .contains("can't call '" + HERE + name + "'")
                                    .contains("lib/");
                        });
        assertThat(
                        StoreKeys.unsupported(
                                Map.of("presto.s3.credentials-provider", HERE + "ByCreate"),
                                BUCKET))
                .as("and one that can doesn't")
                .isEmpty();
    }
}
