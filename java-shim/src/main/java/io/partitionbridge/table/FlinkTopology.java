package io.partitionbridge.table;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.api.dag.Transformation;

/** Marks the operators that Flink's own sink made, so that UI and plan show the fallback. */
final class FlinkTopology {

    private FlinkTopology() {}

    /** Renames what lies between {@code end} and {@code input}, exclusive of the input. */
    static void mark(Transformation<?> end, Transformation<?> input, FallbackReason fallback) {
        Set<Transformation<?>> seen = new HashSet<>();
        seen.add(input);
        Deque<Transformation<?>> open = new ArrayDeque<>();
        open.add(end);
        while (!open.isEmpty()) {
            Transformation<?> next = open.remove();
            if (seen.add(next)) {
                next.setName(next.getName() + " (Flink's sink: " + fallback.reason() + ")");
                open.addAll(next.getInputs());
            }
        }
    }
}
