package io.partitionbridge.credentials;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.util.WrappingProxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Classes by name, where a user can have put them: in Flink's lib/, or beside the S3 plugin that
 * serves a table, whose class loader only its file system gives away.
 */
class StoreClasses {

    private static final Logger LOG = LoggerFactory.getLogger(StoreClasses.class);

    private final URI bucket;

    /**
     * @param bucket with the table's scheme, by which Flink chooses the plugin
     */
    StoreClasses(URI bucket) {
        this.bucket = bucket;
    }

    Optional<Class<?>> find(String name) {
        return load(StoreClasses.class.getClassLoader(), name)
                .or(() -> plugin().flatMap(loader -> load(loader, name)));
    }

    /** A class of the plugin itself: one of the same name elsewhere isn't meant. */
    Optional<Class<?>> findInPlugin(String name) {
        return plugin().flatMap(loader -> load(loader, name));
    }

    /** Empty where Flink has no file system for the scheme, or can't make it. */
    Optional<ClassLoader> plugin() {
        try {
            FileSystem found = FileSystem.getUnguardedFileSystem(bucket);
            while (found instanceof WrappingProxy<?> proxy
                    && proxy.getWrappedDelegate() instanceof FileSystem inner) {
                found = inner;
            }
            return Optional.ofNullable(found.getClass().getClassLoader());
        } catch (Exception | LinkageError e) {
            LOG.debug("No file system of Flink's for {}", bucket, e);
            return Optional.empty();
        }
    }

    private static Optional<Class<?>> load(ClassLoader loader, String name) {
        try {
            return Optional.of(Class.forName(name, true, loader));
        } catch (ClassNotFoundException | LinkageError e) {
            return Optional.empty();
        }
    }

    /** As they are in a comma-separated list of the configuration. */
    static List<String> names(String classes) {
        List<String> names = new ArrayList<>();
        for (String each : classes.split("[,;]")) {
            if (!each.isBlank()) {
                names.add(each.trim());
            }
        }
        return names;
    }
}
