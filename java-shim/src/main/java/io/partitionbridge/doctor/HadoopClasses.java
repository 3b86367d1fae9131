package io.partitionbridge.doctor;

import java.lang.reflect.InvocationTargetException;
import java.util.Optional;

/**
 * Whether Hadoop's classes, which Flink's Parquet and ORC formats need, can be used, not just seen.
 */
final class HadoopClasses {

    private HadoopClasses() {}

    /** What is missing. */
    static Optional<String> error() {
        try {
            Class<?> kind = Class.forName("org.apache.hadoop.conf.Configuration");
            Object made = kind.getConstructor().newInstance();
            // The first look reads XML, which is hadoop-client-runtime's part.
            kind.getMethod("get", String.class).invoke(made, "fs.defaultFS");
            return Optional.empty();
        } catch (InvocationTargetException e) {
            return Optional.of(String.valueOf(e.getCause()));
        } catch (ReflectiveOperationException | LinkageError e) {
            return Optional.of(String.valueOf(e));
        }
    }
}
