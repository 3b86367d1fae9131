package io.partitionbridge.doctor;

import io.partitionbridge.control.PythonInterpreter;
import io.partitionbridge.credentials.S3Plugin;
import io.partitionbridge.credentials.StoreKeys;
import io.partitionbridge.credentials.StoreSettings;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.PluginUtils;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.util.WrappingProxy;

/**
 * Tells what a process of this Flink would find here: one line of JSON on standard output, <code>
 * {"set_up": {…}}</code>, for {@code partition-bridge doctor}, which judges it. By the code that
 * the sink itself goes by, so that the doctor looks at the store with a job's own settings.
 *
 * <p>The argument is the bucket of a table with its scheme, or nothing. With a bucket the line
 * holds secrets: it is for the process that reads it and for nobody's log (I12).
 */
public final class SetUpReport {

    private static final String ANY_BUCKET = "s3://bucket";

    private SetUpReport() {}

    public static void main(String[] args) throws Exception {
        Map<String, Object> report = new LinkedHashMap<>();
        Configuration configuration = new Configuration();
        report.put("configuration_error", null);
        try {
            configuration = GlobalConfiguration.loadConfiguration();
        } catch (RuntimeException e) {
            report.put("configuration_error", reason(e));
        }
        report.put("configuration", configuration(configuration));
        report.put("python", python(configuration));
        report.putAll(TableFactories.report());
        report.put("hadoop_error", HadoopClasses.error().orElse(null));
        URI bucket = URI.create(args.length > 0 ? args[0] : ANY_BUCKET);
        report.putAll(fileSystem(configuration, bucket));
        report.putAll(args.length > 0 ? store(configuration, bucket) : Map.of());
        report.put("ignored_by_plugin", ignoredByPlugin(configuration, bucket, report));
        System.out.println(new ObjectMapper().writeValueAsString(Map.of("set_up", report)));
    }

    private static Map<String, Object> configuration(Configuration configuration) {
        Map<String, Object> found = new LinkedHashMap<>();
        found.put(
                "java_home",
                configuration
                        .getOptional(
                                ConfigOptions.key("env.java.home").stringType().noDefaultValue())
                        .orElse(null));
        found.put(
                "checkpoint_interval_ms",
                configuration
                        .getOptional(CheckpointingOptions.CHECKPOINTING_INTERVAL)
                        .map(each -> each.toMillis())
                        .orElse(null));
        found.put(
                "checkpoint_timeout_ms",
                configuration.get(CheckpointingOptions.CHECKPOINTING_TIMEOUT).toMillis());
        found.put(
                "checkpoints_retained",
                configuration.get(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS));
        return found;
    }

    private static Map<String, Object> python(Configuration configuration) {
        return Map.of(
                "executable", PythonInterpreter.of(null, configuration, configuration),
                "environment", PythonInterpreter.environment(System.getenv()));
    }

    // What writes _SUCCESS, and what a credential provider of a user's own lies beside.
    private static Map<String, Object> fileSystem(Configuration configuration, URI bucket) {
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("file_system", null);
        found.put("file_system_error", null);
        try {
            FileSystem.initialize(
                    configuration, PluginUtils.createPluginManagerFromRootFolder(configuration));
            FileSystem here = FileSystem.getUnguardedFileSystem(bucket);
            while (here instanceof WrappingProxy<?> proxy) {
                here = (FileSystem) proxy.getWrappedDelegate();
            }
            found.put("file_system", here.getClass().getName());
        } catch (Exception | LinkageError e) {
            found.put("file_system_error", reason(e));
        }
        return found;
    }

    private static Map<String, Object> store(Configuration configuration, URI bucket) {
        Map<String, Object> found = new LinkedHashMap<>();
        found.put(
                "fallback",
                StoreKeys.unsupported(configuration.toMap(), bucket)
                        .map(each -> Map.of("key", each.key(), "remedy", each.remedy()))
                        .orElse(null));
        found.put("store", null);
        found.put("store_error", null);
        try {
            found.put("store", new StoreSettings(configuration, bucket).resolve(System.getenv()));
        } catch (RuntimeException e) {
            found.put("store_error", reason(e));
        }
        return found;
    }

    // Keys of the store that hold for the writers' files, but not for what the file system writes.
    private static List<String> ignoredByPlugin(
            Configuration configuration, URI bucket, Map<String, Object> report) {
        return Optional.ofNullable((String) report.get("file_system"))
                .flatMap(S3Plugin::of)
                .map(plugin -> plugin.ignored(configuration.toMap(), bucket))
                .orElse(List.of());
    }

    // Flink wraps what a person can use into what nobody can.
    private static String reason(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String told = cause.getMessage() == null ? "" : ": " + cause.getMessage();
        return cause.getClass().getSimpleName() + told;
    }
}
