package io.partitionbridge.control;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;

/** Which Python runs the bridge's processes, and with what environment. */
public final class PythonInterpreter {

    /** PyFlink's key; its class isn't on a cluster's class path. */
    private static final ConfigOption<String> PYTHON =
            ConfigOptions.key("python.executable").stringType().noDefaultValue();

    /**
     * What the processes inherit. No AWS_* beyond a bundle of certificates: boto3 must find no
     * credentials by itself (I12).
     */
    private static final Set<String> INHERITED =
            Set.of(
                    "PATH",
                    "HOME",
                    "LANG",
                    "TZ",
                    "TMPDIR",
                    "PYTHONPATH",
                    "PYTHONHOME",
                    "VIRTUAL_ENV",
                    "SSL_CERT_FILE",
                    "SSL_CERT_DIR",
                    "AWS_CA_BUNDLE",
                    "REQUESTS_CA_BUNDLE",
                    "LD_LIBRARY_PATH");

    private PythonInterpreter() {}

    /** The part of a JVM's environment that the bridge's processes inherit. */
    public static Map<String, String> environment(Map<String, String> environment) {
        Map<String, String> inherited = new TreeMap<>(environment);
        inherited.keySet().removeIf(name -> !INHERITED.contains(name) && !name.startsWith("LC_"));
        return inherited;
    }

    /**
     * @param ofTable what the table says, or null
     */
    public static String of(String ofTable, Configuration job, Configuration taskManager) {
        if (ofTable != null) {
            return ofTable;
        }
        return job.getOptional(PYTHON).or(() -> taskManager.getOptional(PYTHON)).orElse("python3");
    }
}
