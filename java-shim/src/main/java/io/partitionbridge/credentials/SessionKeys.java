package io.partitionbridge.credentials;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.annotation.Nullable;

/**
 * Keys that somebody hands out for a while. Secret: not a record, whose toString would tell (I12).
 */
final class SessionKeys {

    // The SDKs' clients ask their provider at each request. Once a minute is as good for keys that
    // outlive it, and half of what is left for others.
    private static final Duration LOOK = Duration.ofMinutes(1);
    private static final Duration SHORTEST_LOOK = Duration.ofSeconds(1);

    private final String accessKey;
    private final String secretKey;
    @Nullable private final String sessionToken;
    @Nullable private final Instant expires;

    private SessionKeys(
            String accessKey,
            String secretKey,
            @Nullable String sessionToken,
            @Nullable Instant expires) {
        this.accessKey = accessKey;
        this.secretKey = secretKey;
        this.sessionToken = sessionToken;
        this.expires = expires;
    }

    /**
     * What an object of the AWS SDK's first or second generation says, read by name: S3 plugins
     * bring either, and relocate it.
     *
     * @param credentials AWSCredentials, AwsCredentials, or Credentials of STS; or null
     * @return empty for anonymous ones, too
     */
    static Optional<SessionKeys> of(@Nullable Object credentials)
            throws ReflectiveOperationException {
        if (credentials == null) {
            return Optional.empty();
        }
        Object accessKey = get(credentials, "getAWSAccessKeyId", "getAccessKeyId", "accessKeyId");
        Object secretKey =
                get(credentials, "getAWSSecretKey", "getSecretAccessKey", "secretAccessKey");
        if (accessKey == null || secretKey == null) {
            return Optional.empty();
        }
        Object token = get(credentials, "getSessionToken", "sessionToken");
        return Optional.of(
                new SessionKeys(
                        accessKey.toString(),
                        secretKey.toString(),
                        token == null ? null : token.toString(),
                        instant(
                                get(
                                        credentials,
                                        "getExpiration",
                                        "expiration",
                                        "expirationTime"))));
    }

    /** access_key, secret_key, session_token, ask_again_ms (docs/protocol.md). */
    Map<String, Object> toMap(Instant now) {
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("access_key", accessKey);
        keys.put("secret_key", secretKey);
        keys.put("session_token", sessionToken);
        keys.put("ask_again_ms", askAgain(now).toMillis());
        return keys;
    }

    private Duration askAgain(Instant now) {
        Duration half = expires == null ? LOOK : Duration.between(now, expires).dividedBy(2);
        Duration soon = half.compareTo(LOOK) < 0 ? half : LOOK;
        return soon.compareTo(SHORTEST_LOOK) > 0 ? soon : SHORTEST_LOOK;
    }

    @Nullable
    private static Instant instant(@Nullable Object time) {
        Object value = time instanceof Optional<?> optional ? optional.orElse(null) : time;
        return value instanceof Date date ? date.toInstant() : (Instant) value;
    }

    // Null where there is no such getter.
    @Nullable
    private static Object get(Object object, String... getters)
            throws ReflectiveOperationException {
        for (String getter : getters) {
            Method method;
            try {
                method = object.getClass().getMethod(getter);
            } catch (NoSuchMethodException e) {
                continue;
            }
            // The SDKs' classes may be private ones behind a public interface.
            method.setAccessible(true);
            try {
                return method.invoke(object);
            } catch (InvocationTargetException e) {
                throw new ReflectiveOperationException(e.getCause());
            }
        }
        return null;
    }
}
