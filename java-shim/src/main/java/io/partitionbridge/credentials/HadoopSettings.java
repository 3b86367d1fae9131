package io.partitionbridge.credentials;

import java.lang.reflect.InvocationTargetException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;

/**
 * Hadoop's Configuration, where its class can be seen, by name: the shim has no Hadoop. With it,
 * secrets are read that lie in a key store of Hadoop's (CredentialProvider).
 */
final class HadoopSettings {

    static final String KIND = "org.apache.hadoop.conf.Configuration";
    private static final String KEY_STORES = "hadoop.security.credential.provider.path";

    private final Object configuration;

    private HadoopSettings(Object configuration) {
        this.configuration = configuration;
    }

    /** The key stores at a path as Hadoop writes it, jceks://… and others, with commas between. */
    static Optional<HadoopSettings> ofKeyStores(StoreClasses classes, String path) {
        return classes.find(KIND)
                .map(
                        kind -> {
                            try {
                                return new HadoopSettings(make(kind, Map.of(KEY_STORES, path)));
                            } catch (ReflectiveOperationException e) {
                                throw new IllegalStateException("Hadoop's Configuration", e);
                            }
                        });
    }

    /**
     * @throws IllegalArgumentException for a key store that can't be read
     */
    Optional<String> secret(String name) {
        try {
            char[] found =
                    (char[])
                            configuration
                                    .getClass()
                                    .getMethod("getPassword", String.class)
                                    .invoke(configuration, name);
            return Optional.ofNullable(found).map(String::new);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(
                    "The key store that 'fs.s3a.security.credential.provider.path' of Flink's"
                            + " configuration names can't be read: see that it is there on every"
                            + " TaskManager, and its password in HADOOP_CREDSTORE_PASSWORD.",
                    e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Hadoop's Configuration", e);
        }
    }

    /**
     * @param kind Hadoop's Configuration, of whichever class loader
     */
    static Object make(Class<?> kind, Map<String, String> values)
            throws ReflectiveOperationException {
        Object made = kind.getConstructor().newInstance();
        kind.getMethod("setClassLoader", ClassLoader.class).invoke(made, kind.getClassLoader());
        for (Map.Entry<String, String> each : values.entrySet()) {
            kind.getMethod("set", String.class, String.class)
                    .invoke(made, each.getKey(), each.getValue());
        }
        return made;
    }

    /** Flink's keys as s3-fs-hadoop and s3-fs-presto give them to Hadoop. */
    static Map<String, String> of(Configuration flink) {
        Map<String, String> values = new LinkedHashMap<>();
        flink.toMap()
                .forEach(
                        (key, value) ->
                                StoreKeys.withoutPrefix(key)
                                        .ifPresent(
                                                name -> {
                                                    values.put("fs.s3a." + name, value);
                                                    values.put("presto.s3." + name, value);
                                                }));
        return values;
    }
}
