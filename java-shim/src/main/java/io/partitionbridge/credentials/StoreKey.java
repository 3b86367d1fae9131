package io.partitionbridge.credentials;

import java.util.List;

/**
 * One meaning that a key of Flink's configuration can have for an S3 file system, with every
 * spelling of it. Names are without prefix, as s3-fs-hadoop (hadoop-aws 3.3), s3-fs-presto and
 * s3-fs-native read them; {@code *} at the end stands for any rest. A key that has none of these
 * names falls back: it may decide on access, encryption or placement.
 */
enum StoreKey {
    ACCESS_KEY(Fate.TRANSLATED, "access key", "access-key", "access.key"),
    SECRET_KEY(Fate.TRANSLATED, "secret key", "secret-key", "secret.key"),
    SESSION_TOKEN(Fate.TRANSLATED, "session token", "session-token", "session.token"),
    PROVIDERS(
            Fate.TRANSLATED,
            "where credentials come from, in this order: the classes of the AWS SDKs and of"
                    + " hadoop-aws for configured keys, environment, profile, web identity,"
                    + " container, instance, default chain, anonymous and assumed role. Any other"
                    + " class is called in the TaskManager, if it is in Flink's `lib/` or beside the"
                    + " S3 plugin, has `resolveCredentials()` or `getCredentials()`, and a static"
                    + " `create()` or `getInstance()` or a public constructor that takes nothing,"
                    + " Hadoop's `Configuration`, or a `URI` and that; otherwise it falls back",
            "aws.credentials.provider",
            "credentials-provider"),
    INSTANCE_ONLY(
            Fate.TRANSLATED,
            "`true`: credentials of the instance only",
            "use-instance-credentials"),
    ROLE_ARN(Fate.TRANSLATED, "role to assume", "assume-role.arn"),
    HADOOP_ROLE_ARN(
            Fate.TRANSLATED,
            "role to assume; counts, as in s3-fs-hadoop, only with AssumedRoleCredentialProvider",
            "assumed.role.arn"),
    ROLE_EXTERNAL_ID(Fate.TRANSLATED, "external id of the role", "assume-role.external-id"),
    ROLE_SESSION_NAME(
            Fate.TRANSLATED,
            "name of the role's session",
            "assume-role.session-name",
            "assumed.role.session.name"),
    ROLE_SESSION_DURATION(
            Fate.TRANSLATED,
            "how long credentials of the role last: seconds, or with a unit",
            "assume-role.session-duration",
            "assumed.role.session.duration"),
    ROLE_POLICY(Fate.TRANSLATED, "policy that narrows the role", "assumed.role.policy"),
    STS_ENDPOINT(
            Fate.TRANSLATED,
            "endpoint of STS",
            "assumed.role.sts.endpoint",
            "assumed.role.sts.endpoint.value"),
    STS_REGION(Fate.TRANSLATED, "region of STS", "assumed.role.sts.endpoint.region"),
    ROLE_PROVIDERS(
            Fate.TRANSLATED,
            "where the credentials come from that assume the role",
            "assumed.role.credentials.provider"),
    ENDPOINT(Fate.TRANSLATED, "endpoint", "endpoint", "endpoint.value"),
    REGION(Fate.TRANSLATED, "region of the signature", "endpoint.region", "region"),
    PIN_REGION(
            Fate.TRANSLATED,
            "`true`: the region of the instance, where it has one, goes before any other; not with"
                    + " an endpoint",
            "pin-client-to-current-region"),
    SIGNER(
            Fate.TRANSLATED,
            "the SDKs' own: of version 4, which is the writer's, or `S3SignerType`, of version 2;"
                    + " any other is a Java class that signs, and falls back",
            "s3.signing-algorithm",
            "signer-type",
            "signing-algorithm"),
    ACCESS_POINT(
            Fate.TRANSLATED,
            "access point that stands for the bucket; as in s3-fs-hadoop, for one bucket only:"
                    + " `fs.s3a.bucket.NAME.accesspoint.arn`",
            "accesspoint.arn"),
    ACCESS_POINT_REQUIRED(
            Fate.TRANSLATED,
            "`true`: a bucket without an access point is refused",
            "accesspoint.required"),
    KEY_STORE(
            Fate.TRANSLATED,
            "key stores of Hadoop's, in which keys, the encryption and the proxy's password may"
                    + " lie; read by Hadoop's `Configuration`, in Flink's `lib/` or the S3 plugin:"
                    + " falls back where neither has it",
            "security.credential.provider.path"),
    PATH_STYLE(
            Fate.TRANSLATED,
            "bucket in the path instead of the host's name",
            "path-style-access",
            "path.style.access"),
    SSL(
            Fate.TRANSLATED,
            "scheme of an endpoint that is given without",
            "connection.ssl.enabled",
            "ssl.enabled"),
    PROXY_HOST(Fate.TRANSLATED, "HTTP proxy", "proxy.host"),
    PROXY_PORT(Fate.TRANSLATED, "its port; 443 or 80 without", "proxy.port"),
    PROXY_USERNAME(Fate.TRANSLATED, "its user", "proxy.username"),
    PROXY_PASSWORD(Fate.TRANSLATED, "its password", "proxy.password"),
    ENCRYPTION(
            Fate.TRANSLATED,
            "SSE-S3, SSE-KMS or SSE-C; encryption in the client (`CSE-…`) falls back",
            "encryption.algorithm",
            "server-side-encryption-algorithm",
            "sse.type"),
    ENCRYPTION_SWITCH(Fate.TRANSLATED, "`true`: encryption by `sse.type`, or S3's", "sse.enabled"),
    ENCRYPTION_KEY(
            Fate.TRANSLATED,
            "id of the KMS key, or the key of SSE-C in base64",
            "encryption.key",
            "server-side-encryption.key",
            "sse.kms.key-id",
            "sse.kms-key-id"),
    ENCRYPTION_CONTEXT(
            Fate.TRANSLATED,
            "context of KMS, `name=value` separated by commas",
            "encryption.context"),
    ACL(Fate.TRANSLATED, "canned ACL", "acl.default", "upload-acl-type"),
    STORAGE_CLASS(Fate.TRANSLATED, "storage class", "create.storage.class", "storage-class"),
    REQUESTER_PAYS(Fate.TRANSLATED, "the requester pays", "requester.pays.enabled"),

    CLIENT_TUNING(
            Fate.NO_MEANING,
            "tunes the Java client; the writer has `sink.upload.concurrency` and"
                    + " `sink.commit.concurrency`, six attempts for each request and a minute to"
                    + " wait for an answer",
            "async.enabled",
            "attempts.maximum",
            "aws-client-region-provider",
            "checksum-validation.enabled",
            "chunked-encoding.enabled",
            "client.close.timeout",
            "close.timeout",
            "connect-timeout",
            "connection.establish.timeout",
            "connection.max",
            "connection.max-idle-time",
            "connection.maximum",
            "connection.request.timeout",
            "connection.timeout",
            "executor.capacity",
            "experimental.aws.s3.throttling",
            "max-backoff-time",
            "max-client-retries",
            "max-connections",
            "max-error-retries",
            "max-retry-time",
            "max.total.tasks",
            "retry.*",
            "socket-timeout",
            "socket.recv.buffer",
            "socket.send.buffer",
            "socket.timeout",
            "ssl.channel.mode",
            "threads.*",
            "user-agent-prefix",
            "user.agent.prefix"),
    UPLOAD_TUNING(
            Fate.NO_MEANING,
            "tunes Flink's uploads and their temporary files; the writer has"
                    + " `sink.upload.part-size`",
            "block.size",
            "buffer.dir",
            "fast.*",
            "internal.upload.part.count.limit",
            "multipart.*",
            "part.upload.concurrency",
            "staging-directory",
            "upload.max.concurrent.uploads",
            "upload.min.part.size"),
    AUDIT(
            Fate.NO_MEANING,
            "logs the plugin's requests, or names their caller in the store's log",
            "audit.enabled",
            "audit.referrer.*",
            "audit.reject.out.of.span.operations",
            "audit.service.classname"),
    PRESTO_ROLE(
            Fate.NO_MEANING,
            "without effect in s3-fs-presto, too: Presto reads its role under"
                    + " `presto.hive.s3.…`, a name that Flink's configuration can't give it",
            "iam-role",
            "iam-role-session-name"),
    ENTROPY(
            Fate.NO_MEANING,
            "Flink replaces it in the paths of checkpoints; in a table's path it stays what it is,"
                    + " with Flink's own sink too",
            "entropy.key",
            "entropy.length"),
    READING(
            Fate.NO_MEANING,
            "reads, lists, copies or deletes",
            "authoritative.path",
            "bucket.probe",
            "bulk-copy.*",
            "bulk.delete.page.size",
            "change.detection.*",
            "committer.*",
            "directory.marker.retention",
            "downgrade.syncable.exceptions",
            "etag.checksum.enabled",
            "experimental.input.*",
            "failinject.*",
            "impl",
            "input.*",
            "list.version",
            "metadatastore.*",
            "multiobjectdelete.enable",
            "paging.maximum",
            "read.buffer.size",
            "readahead.range",
            "s3guard.*",
            "s5cmd.*",
            "select.*",
            "skip-glacier-objects"),

    CLIENT_ENCRYPTION(
            Fate.FALLS_BACK,
            "encryption in the client",
            "encryption-materials-provider",
            "kms-key-id"),
    PROXY_NTLM(
            Fate.FALLS_BACK,
            "NTLM to the proxy, which no HTTP client of Python's speaks",
            "proxy.domain",
            "proxy.workstation"),
    TOKEN_BINDING(
            Fate.FALLS_BACK,
            "credentials from tokens of Hadoop's own, which a class of the plugin makes",
            "delegation.token.binding"),
    OWN_CLASS(
            Fate.FALLS_BACK,
            "a Java class that only the plugin can call, but for hadoop-aws' own client factory",
            "audit.request.handlers",
            "custom.signers",
            "s3.client.factory.impl");

    /** What becomes of a key. */
    enum Fate {
        TRANSLATED,
        NO_MEANING,
        FALLS_BACK
    }

    final Fate fate;
    final String meaning;
    final List<String> names;

    StoreKey(Fate fate, String meaning, String... names) {
        this.fate = fate;
        this.meaning = meaning;
        this.names = List.of(names);
    }

    boolean isCalled(String name) {
        return names.stream()
                .anyMatch(
                        each ->
                                each.endsWith("*")
                                        ? name.startsWith(each.substring(0, each.length() - 1))
                                        : name.equals(each));
    }
}
