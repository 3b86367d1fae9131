package io.partitionbridge.functions;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.table.functions.ScalarFunction;

/**
 * Lets every number pass: odd ones at once, even ones at most 50 a second until a file is there. Of two subtasks that share a
 * sequence, one then comes to its end long before the other.
 */
public final class TrickleFunction extends ScalarFunction {

    private static final long serialVersionUID = 1L;

    public boolean eval(Long number, String file) throws InterruptedException {
        if (number % 2 == 0 && !Files.exists(Path.of(file))) {
            Thread.sleep(20);
        }
        return true;
    }
}
