package io.partitionbridge.credentials;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which keys of Flink's configuration keep a table from the bridge. */
class StoreKeysTest {

    private static final URI LOCATION = URI.create("s3://lake/t");

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource({
        "s3.access-key, AK",
        "fs.s3a.endpoint, http://store",
        "s3.upload.min.part.size, 5mb",
        "fs.s3a.connection.timeout, 5000",
        "fs.s3a.connection.maximum, 90",
        "fs.s3a.fast.upload.buffer, array",
        "s3.entropy.key, _entropy_",
        "fs.s3a.bucket.other.server-side-encryption-algorithm, SSE-KMS",
        "fs.s3a.aws.credentials.provider, org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        "fs.s3a.server-side-encryption-algorithm, SSE-KMS",
        "fs.s3a.encryption.algorithm, SSE-C",
        "s3.sse.type, sse-kms",
        "s3.sse.type, none",
        "s3.assume-role.arn, arn",
        "fs.s3a.assumed.role.arn, arn",
        "fs.s3a.acl.default, BucketOwnerFullControl",
        "presto.s3.storage-class, INTELLIGENT_TIERING",
        "fs.s3a.proxy.host, proxy",
        "fs.s3a.aws.credentials.provider, org.apache.hadoop.fs.s3a.auth.AssumedRoleCredentialProvider",
        "fs.s3a.aws.credentials.provider, org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider",
        "s3.pin-client-to-current-region, true",
        "fs.s3a.signing-algorithm, AWSS3V4SignerType",
        "presto.s3.signer-type, S3SignerType",
        "fs.s3a.audit.enabled, false",
        "fs.s3a.bucket.lake.audit.referrer.enabled, false",
        "fs.s3a.internal.upload.part.count.limit, 100",
        "s3.iam-role, arn:aws:iam::123456789012:role/writer",
        "fs.s3.aws.credentials.provider, DefaultCredentialsProvider",
        "fs.s3.unknown, of no plugin",
        "fs.s3a.bucket.lake.accesspoint.arn, arn:aws:s3:eu-west-1:123456789012:accesspoint/lake",
        "fs.s3a.security.credential.provider.path, jceks://file",
        "fs.s3a.s3.client.factory.impl, org.apache.hadoop.fs.s3a.DefaultS3ClientFactory",
        "security.delegation.token.provider.s3-hadoop.access-key, AK",
        "security.delegation.token.provider.s3-presto.region, eu-west-1",
        "security.delegation.token.provider.s3-native.secret-key, SK",
        "security.delegation.token.provider.s3-hadoop.enabled, false",
        "security.delegation.token.provider.hadoopfs.renew, x",
        "taskmanager.numberOfTaskSlots, 2"
    })
    @DisplayName("Keys that are translated or mean nothing to a writer don't matter.")
    void accepts(String key, String value) {
        assertThat(StoreKeys.unsupported(Map.of(key, value), LOCATION)).as("bridged").isEmpty();
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource({
        "fs.s3a.server-side-encryption-algorithm, CSE-KMS",
        "fs.s3a.bucket.lake.encryption.algorithm, CSE-CUSTOM",
        "presto.s3.encryption-materials-provider, org.example.Materials",
        "presto.s3.kms-key-id, key",
        "s3.signer-type, own",
        "fs.s3a.custom.signers, Own:org.example.OwnSigner",
        "fs.s3a.s3.client.factory.impl, org.example.OwnClients",
        "fs.s3a.proxy.domain, corp",
        "fs.s3a.proxy.workstation, here",
        "fs.s3a.audit.request.handlers, org.example.Handler",
        "fs.s3a.delegation.token.binding, org.example.Binding",
        "fs.s3.aws.credentials.provider, org.example.OwnProvider",
        "fs.s3a.aws.credentials.provider, 'a.AssumedRoleCredentialProvider,a.SimpleAWSCredentialsProvider'",
        "fs.s3a.assumed.role.credentials.provider, org.apache.hadoop.fs.s3a.auth.AssumedRoleCredentialProvider",
        "fs.s3a.aws.credentials.provider, org.example.OwnProvider",
        "fs.s3a.unheard-of, x",
        "security.delegation.token.provider.s3-own.secret-key, SK"
    })
    @DisplayName("Keys that decide on access, encryption or placement fall back and are named.")
    void namesWhatFallsBack(String key, String value) {
        assertThat(StoreKeys.unsupported(Map.of(key, value), LOCATION))
                .map(StoreKeys.Unsupported::key)
                .as("named")
                .contains(key);
    }
}
