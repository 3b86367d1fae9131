package io.partitionbridge.policy;

import io.partitionbridge.control.PythonCall;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.connector.file.table.PartitionCommitPolicy;

/**
 * A commit policy whose commit is a Python function, for the option
 * 'sink.partition-commit.policy.class'.
 *
 * <p>The first parameter names the function, "package.module:function"; it gets the partition and
 * the other parameters. It runs in a process of its own for each partition, and fails the task by
 * raising. Like any policy it may be called again for a partition.
 */
public class PythonCommitPolicy implements PartitionCommitPolicy {

    private final String function;
    private final List<String> parameters;

    // Flink looks for the constructor with as many strings as the DDL has parameters.

    public PythonCommitPolicy(String function) {
        this(function, List.of());
    }

    public PythonCommitPolicy(String function, String first) {
        this(function, List.of(first));
    }

    public PythonCommitPolicy(String function, String first, String second) {
        this(function, List.of(first, second));
    }

    public PythonCommitPolicy(String function, String first, String second, String third) {
        this(function, List.of(first, second, third));
    }

    private PythonCommitPolicy(String function, List<String> parameters) {
        this.function = function;
        this.parameters = parameters;
    }

    @Override
    public void commit(Context context) throws Exception {
        Map<String, Object> call = new LinkedHashMap<>();
        call.put("function", function);
        call.put("parameters", parameters);
        call.put("catalog", context.catalogName());
        call.put("database", context.databaseName());
        call.put("table", context.tableName());
        call.put("keys", context.partitionKeys());
        call.put("values", context.partitionValues());
        call.put("path", context.partitionPath().toString());
        PythonCall.run("partition_bridge.policy", call, "policy '" + function + "'");
    }
}
