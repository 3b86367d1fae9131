package io.partitionbridge.credentials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.map;

import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Flink's S3 keys, in every spelling, as the writer's store settings. */
class StoreSettingsTest {

    private static Map<String, Object> resolve(Map<String, String> keys) {
        return resolve(Configuration.fromMap(keys), Map.of());
    }

    private static Map<String, Object> resolve(
            Configuration configuration, Map<String, String> environment) {
        return new StoreSettings(configuration, URI.create("s3://lake")).resolve(environment);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "s3.access-key, s3.secret-key",
        "s3.access.key, s3.secret.key",
        "s3a.access-key, s3a.secret.key",
        "fs.s3a.access.key, fs.s3a.secret.key",
        "presto.s3.access-key, presto.s3.secret-key",
        "fs.s3a.bucket.lake.access.key, fs.s3a.bucket.lake.secret.key"
    })
    @DisplayName("Keys are found under each prefix and spelling.")
    void findsKeys(String access, String secret) {
        assertThat(resolve(Map.of(access, "AK", secret, "SK")))
                .as("both keys, and nothing of the environment")
                .containsEntry("access_key", "AK")
                .containsEntry("secret_key", "SK")
                .containsEntry("session_token", null)
                .containsEntry("aws_environment", Map.of());
    }

    @Test
    @DisplayName("A bucket's own settings go first; another bucket's don't count.")
    void bucketGoesFirst() {
        Map<String, Object> store =
                resolve(
                        Map.of(
                                "s3.endpoint", "http://general:9000",
                                "fs.s3a.bucket.lake.endpoint", "http://lake:9000",
                                "fs.s3a.bucket.other.endpoint", "http://other:9000"));

        assertThat(store).as("lake's").containsEntry("endpoint", "http://lake:9000");
    }

    @ParameterizedTest(name = "{0} is in {1}")
    @CsvSource({
        "https://s3.eu-west-1.amazonaws.com, eu-west-1",
        "s3-ap-southeast-2.amazonaws.com, ap-southeast-2",
        "s3.dualstack.us-gov-west-1.amazonaws.com, us-gov-west-1",
        "s3.cn-north-1.amazonaws.com.cn, cn-north-1",
        "s3.amazonaws.com, us-east-1",
        "http://127.0.0.1:8333, us-east-1"
    })
    @DisplayName("The region comes from the endpoint's host.")
    void regionOfEndpoint(String endpoint, String region) {
        assertThat(resolve(Map.of("s3.endpoint", endpoint)))
                .as("automatic")
                .containsEntry("region", region);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"s3.region", "s3.endpoint.region", "fs.s3a.endpoint.region"})
    @DisplayName("A configured region wins, in both spellings.")
    void configuredRegion(String key) {
        assertThat(
                        resolve(
                                Map.of(
                                        key,
                                        "eu-central-1",
                                        "s3.endpoint",
                                        "s3.eu-west-1.amazonaws.com")))
                .as("as configured")
                .containsEntry("region", "eu-central-1");
    }

    @ParameterizedTest(name = "{0}, ssl {1}")
    @CsvSource({
        "store:9000, true, https://store:9000",
        "store:9000, false, http://store:9000",
        "http://store:9000, true, http://store:9000"
    })
    @DisplayName("An endpoint without scheme gets the one that the SSL key says.")
    void endpointScheme(String endpoint, String ssl, String expected) {
        assertThat(resolve(Map.of("s3.endpoint", endpoint, "s3.connection.ssl.enabled", ssl)))
                .as("a URL")
                .containsEntry("endpoint", expected);
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource({
        "s3.path.style.access, true, true",
        "s3.path-style-access, true, true",
        "s3.endpoint, http://127.0.0.1:8333, true",
        "s3.endpoint, http://localhost:8333, true",
        "s3.endpoint, http://store:9000, false"
    })
    @DisplayName("Path style is on by either key, and where a host can't have a bucket in front.")
    void pathStyle(String key, String value, boolean expected) {
        assertThat(resolve(Map.of(key, value)))
                .as("Flink's default is off")
                .containsEntry("path_style", expected);
    }

    @Test
    @DisplayName("Without keys the writer gets the TaskManager's AWS_ variables, but no endpoint.")
    void environmentWithoutKeys() {
        Map<String, String> environment =
                Map.of(
                        "AWS_ROLE_ARN", "arn",
                        "AWS_REGION", "eu-west-3",
                        "AWS_ENDPOINT_URL", "http://elsewhere",
                        "HOME", "/root");

        assertThat(resolve(new Configuration(), environment))
                .as("the default chain, resolved in the writer")
                .containsEntry("access_key", null)
                .containsEntry("region", "eu-west-3")
                .containsEntry(
                        "aws_environment",
                        Map.of("AWS_ROLE_ARN", "arn", "AWS_REGION", "eu-west-3"));
    }

    @Test
    @DisplayName("Half a pair of keys is refused, and isn't told.")
    void halfAPair() {
        assertThatThrownBy(() -> resolve(Map.of("s3.access-key", "AK-value")))
                .as("with what to set")
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no secret key for bucket 'lake'")
                .hasMessageNotContaining("AK-value");
    }

    @Test
    @DisplayName("Once keys have expired, those that the configuration file has by now are used.")
    void keysOfTheFileAfterExpiry() {
        Configuration started =
                Configuration.fromMap(Map.of("s3.access-key", "A", "s3.secret-key", "S"));
        Configuration now =
                Configuration.fromMap(
                        Map.of(
                                "s3.access-key", "A2",
                                "s3.secret-key", "S2",
                                "s3.session-token", "T2",
                                "fs.s3a.bucket.other.access.key", "B"));

        assertThat(new StoreSettings(started, URI.create("s3://lake")).currentKeys(now))
                .as("read anew")
                .containsEntry("access_key", "A2")
                .containsEntry("secret_key", "S2")
                .containsEntry("session_token", "T2");
        assertThat(
                        new StoreSettings(started, URI.create("s3://lake"))
                                .currentKeys(new Configuration()))
                .as("a file without keys doesn't take away those that came with the command line")
                .containsEntry("access_key", "A")
                .containsEntry("session_token", null);
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource({
        "fs.s3a.encryption.algorithm, AES256, AES256",
        "fs.s3a.server-side-encryption-algorithm, SSE-KMS, aws:kms",
        "fs.s3a.encryption.algorithm, SSE-C, c",
        "s3.sse.type, sse-s3, AES256",
        "s3.sse.type, aws:kms, aws:kms",
        "presto.s3.sse.enabled, true, AES256",
        "s3.sse.type, none,",
    })
    @DisplayName("Each plugin's word for an encryption becomes S3's.")
    void encryption(String key, String value, String expected) {
        assertThat(resolve(Map.of(key, value)).get("objects"))
                .asInstanceOf(map(String.class, Object.class))
                .containsEntry("encryption", expected);
    }

    @Test
    @DisplayName("Key, context, ACL, storage class and who pays go along.")
    void objects() {
        Map<String, String> keys = new HashMap<>();
        keys.put("fs.s3a.encryption.algorithm", "SSE-KMS");
        keys.put("fs.s3a.encryption.key", "alias/lake");
        keys.put("fs.s3a.encryption.context", "team=a");
        keys.put("fs.s3a.acl.default", "BucketOwnerFullControl");
        keys.put("presto.s3.storage-class", "intelligent_tiering");
        keys.put("fs.s3a.requester.pays.enabled", "true");

        assertThat(resolve(keys).get("objects"))
                .asInstanceOf(map(String.class, Object.class))
                .containsEntry("encryption_key", "alias/lake")
                .containsEntry("encryption_context", "team=a")
                .containsEntry("acl", "bucket-owner-full-control")
                .containsEntry("storage_class", "INTELLIGENT_TIERING")
                .containsEntry("requester_pays", true);
    }

    @Test
    @DisplayName("A key without an encryption isn't passed on: it would be a secret for nothing.")
    void keyAlone() {
        assertThat(resolve(Map.of("fs.s3a.encryption.key", "secret")).get("objects"))
                .asInstanceOf(map(String.class, Object.class))
                .containsEntry("encryption_key", null);
    }

    @Test
    @DisplayName("An ACL that S3 hasn't is refused by its name.")
    void unknownAcl() {
        assertThatThrownBy(() -> resolve(Map.of("fs.s3a.acl.default", "Everybody")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Everybody")
                .hasMessageContaining("bucket-owner-full-control");
    }

    @Test
    @DisplayName("s3-fs-native's role is taken with its defaults.")
    void nativeRole() {
        assertThat(
                        resolve(
                                        Map.of(
                                                "s3.assume-role.arn",
                                                "arn",
                                                "s3.assume-role.external-id",
                                                "x"))
                                .get("role"))
                .asInstanceOf(map(String.class, Object.class))
                .containsEntry("arn", "arn")
                .containsEntry("external_id", "x")
                .containsEntry("session_name", "flink-partition-bridge")
                .containsEntry("seconds", 3600L);
    }

    @Test
    @DisplayName(
            "s3-fs-hadoop's role counts only with its provider, and is assumed by its own sources.")
    void hadoopRole() {
        Map<String, String> keys = new HashMap<>();
        keys.put("fs.s3a.assumed.role.arn", "arn");
        assertThat(resolve(keys)).as("no effect alone").containsEntry("role", null);

        keys.put("fs.s3a.aws.credentials.provider", "o.a.h.AssumedRoleCredentialProvider");
        keys.put(
                "fs.s3a.assumed.role.credentials.provider",
                "EnvironmentVariableCredentialsProvider");
        keys.put("fs.s3a.assumed.role.session.duration", "15m");
        Map<String, Object> store = resolve(keys);
        assertThat(store).containsEntry("providers", List.of("env"));
        assertThat(store.get("role"))
                .asInstanceOf(map(String.class, Object.class))
                .containsEntry("seconds", 900L);
    }

    @Test
    @DisplayName("Keys that the named sources don't include aren't passed on.")
    void sourcesWithoutKeys() {
        Map<String, Object> store =
                resolve(
                        Configuration.fromMap(
                                Map.of(
                                        "s3.access-key",
                                        "AK",
                                        "s3.secret-key",
                                        "SK",
                                        "s3.aws.credentials.provider",
                                        "ProfileCredentialsProvider,ContainerCredentialsProvider")),
                        Map.of("AWS_PROFILE", "lake"));

        assertThat(store)
                .containsEntry("access_key", null)
                .containsEntry("secret_key", null)
                .containsEntry("aws_environment", Map.of("AWS_PROFILE", "lake"))
                .containsEntry(
                        "providers",
                        List.of(
                                "assume-role",
                                "sso",
                                "shared-credentials-file",
                                "custom-process",
                                "config-file",
                                "container-role"));
    }

    @Test
    @DisplayName("s3-fs-native has its providers under a prefix of their own.")
    void providersOfNative() {
        Map<String, String> keys = new HashMap<>();
        keys.put("fs.s3.aws.credentials.provider", "AnonymousCredentialsProvider");
        assertThat(resolve(keys)).containsEntry("providers", List.of("anonymous"));

        keys.put("s3.aws.credentials.provider", "EnvironmentVariableCredentialsProvider");
        assertThat(resolve(keys))
                .as("the other plugins' key goes first, as their prefix does")
                .containsEntry("providers", List.of("env"));
    }

    @Test
    @DisplayName("Anonymous needs nothing of the environment.")
    void anonymous() {
        assertThat(
                        resolve(
                                Configuration.fromMap(
                                        Map.of(
                                                "s3.aws.credentials.provider",
                                                "AnonymousCredentialsProvider")),
                                Map.of("AWS_SECRET_ACCESS_KEY", "SK")))
                .containsEntry("providers", List.of("anonymous"))
                .containsEntry("aws_environment", Map.of());
    }

    @ParameterizedTest(name = "{1} {2} {3}")
    @CsvSource({
        "http://proxy:3128, 3128,,",
        "http://proxy:443,,,",
        "http://wri%40ter:pass%3Aw%20rd@proxy:3128, 3128, wri@ter, pass:w rd"
    })
    @DisplayName("A proxy is an address, with user and password where they are set.")
    void proxy(String expected, String port, String user, String password) {
        Map<String, String> keys = new HashMap<>(Map.of("fs.s3a.proxy.host", "proxy"));
        if (port != null) {
            keys.put("fs.s3a.proxy.port", port);
        }
        if (user != null) {
            keys.put("fs.s3a.proxy.username", user);
            keys.put("fs.s3a.proxy.password", password);
        }
        assertThat(resolve(keys)).containsEntry("proxy", expected);
    }

    private static final String ARN = "arn:aws:s3:eu-west-1:123456789012:accesspoint/lake-writer";

    @ParameterizedTest(name = "{0}")
    @CsvSource({"http://store:9000, http://store:9000", "https://s3.eu-west-1.amazonaws.com,"})
    @DisplayName(
            "An access point stands for its bucket, in its own region, with a host of its own on AWS.")
    void accessPoint(String endpoint, String expected) {
        assertThat(
                        resolve(
                                Map.of(
                                        "fs.s3a.bucket.lake.accesspoint.arn", ARN,
                                        "fs.s3a.accesspoint.required", "true",
                                        "s3.path.style.access", "true",
                                        "s3.endpoint.region", "us-east-2",
                                        "s3.endpoint", endpoint)))
                .containsEntry("access_point", ARN)
                .containsEntry("region", "eu-west-1")
                .containsEntry("endpoint", expected)
                .as("the bucket has to be in the host's name")
                .containsEntry("path_style", false);
        assertThat(resolve(Map.of("fs.s3a.accesspoint.arn", ARN)))
                .as("not a bucket's own, so hadoop-aws doesn't look at it")
                .containsEntry("access_point", null);
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource({
        "fs.s3a.accesspoint.required, true",
        "fs.s3a.bucket.lake.accesspoint.arn, lake-writer"
    })
    @DisplayName("A missing access point, and one that is none, are refused with what to write.")
    void wrongAccessPoint(String key, String value) {
        assertThatThrownBy(() -> resolve(Map.of(key, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fs.s3a.bucket.lake.accesspoint.arn");
    }

    @Test
    @DisplayName(
            "Pinned to its region, the writer asks the instance; an endpoint contradicts that.")
    void pinned() {
        Map<String, String> keys = new HashMap<>();
        keys.put("s3.access-key", "AK");
        keys.put("s3.secret-key", "SK");
        keys.put("presto.s3.pin-client-to-current-region", "true");
        Map<String, String> environment =
                Map.of("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://here");
        assertThat(resolve(Configuration.fromMap(keys), environment))
                .containsEntry("region_of_instance", true)
                .as("where the instance answers")
                .containsEntry("aws_environment", environment);

        keys.put("s3.endpoint", "http://store");
        assertThatThrownBy(() -> resolve(keys))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Remove one of them");
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource({
        "fs.s3a.signing-algorithm, AWSS3V4SignerType, s3v4",
        "s3.signer-type, S3SignerType, s3"
    })
    @DisplayName("A signer's name becomes the version of the signature.")
    void signature(String key, String value, String expected) {
        assertThat(resolve(Map.of(key, value))).containsEntry("signature", expected);
    }
}
