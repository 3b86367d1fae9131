package io.partitionbridge.gates;

import java.nio.file.Path;
import org.apache.flink.table.functions.ScalarFunction;

/**
 * A filter of rows that tells data (true) from a test's marks: ids below 0, each of which is a gate on the task thread.
 * The least of all ids takes a moment each time, while there is a file {@code slow}.
 */
public final class RowGate extends ScalarFunction {

    private static final long serialVersionUID = 1L;

    public boolean eval(Long id, String folder) {
        if (id >= 0) {
            return true;
        }
        if (id == Long.MIN_VALUE) {
            Gate.linger(Path.of(folder));
        } else {
            Gate.pass(Path.of(folder), "row" + id);
        }
        return false;
    }

    @Override
    public boolean isDeterministic() {
        return false;
    }
}
