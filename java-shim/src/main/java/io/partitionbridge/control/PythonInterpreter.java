package io.partitionbridge.control;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;

/** Which Python runs the bridge's processes. */
public final class PythonInterpreter {

    /** PyFlink's key; its class isn't on a cluster's class path. */
    private static final ConfigOption<String> PYTHON =
            ConfigOptions.key("python.executable").stringType().noDefaultValue();

    private PythonInterpreter() {}

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
