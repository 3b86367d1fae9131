package io.partitionbridge.peer;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Gives the mini clusters of Flink's suites what a cluster's configuration file has: the store's
 * keys. The suites' own clusters read no file, and offer no place for more keys.
 */
public final class ConfiguredCluster implements BeforeAllCallback {

    @Override
    public void beforeAll(ExtensionContext test) throws ReflectiveOperationException {
        Configuration file = GlobalConfiguration.loadConfiguration();
        // A cluster's processes do so as they start, a mini cluster doesn't.
        FileSystem.initialize(file, null);
        Map<String, String> keys = file.toMap();
        for (Class<?> type = test.getRequiredTestClass();
                type != null;
                type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())
                        && field.getType() == MiniClusterExtension.class) {
                    add(keys, read(field, null));
                }
            }
        }
    }

    private static void add(Map<String, String> keys, Object cluster)
            throws ReflectiveOperationException {
        Supplier<?> supplier =
                (Supplier<?>)
                        read(
                                MiniClusterExtension.class.getDeclaredField(
                                        "miniClusterResourceConfigurationSupplier"),
                                cluster);
        Configuration configuration =
                ((MiniClusterResourceConfiguration) supplier.get()).getConfiguration();
        // The object is made unmodifiable by its class alone.
        @SuppressWarnings("unchecked")
        Map<String, Object> values =
                (Map<String, Object>)
                        read(Configuration.class.getDeclaredField("confData"), configuration);
        values.putAll(keys);
    }

    private static Object read(Field field, Object of) throws ReflectiveOperationException {
        field.setAccessible(true);
        return field.get(of);
    }
}
