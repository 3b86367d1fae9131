package io.partitionbridge.table;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.connector.ProviderContext;

/**
 * Operator ids that stay the same over chaining and parallelism, so that state is found again.
 *
 * <p>The planner gives uids for compiled plans only; generated ids depend on chaining, which
 * changes with the parallelism. So every operator has a uid: "partition-bridge:table:role", and
 * with a number when one statement set writes a table more than once (in the order of its
 * statements).
 *
 * <p>None is a uid of Flink's own sink, which has the planner's where there are some: so Flink
 * refuses to restore either sink's savepoint into the other, whose uploads it would forget.
 */
final class OperatorUids {

    // The planner's mark of one translation (InternalConfigOptions, not on a cluster's class path):
    // a session's later statements are jobs of their own, in which counting starts again.
    private static final ConfigOption<String> TRANSLATION =
            ConfigOptions.key("__table.query-start.epoch-time__").stringType().defaultValue("");

    private static final String SET_APART = ":partition-bridge";

    // Only filled at planning, and empty once the environments are gone.
    private static final Map<StreamExecutionEnvironment, Translation> TRANSLATIONS =
            new WeakHashMap<>();

    private final ProviderContext providerContext;
    private final String base;

    private OperatorUids(ProviderContext providerContext, String base) {
        this.providerContext = providerContext;
        this.base = base;
    }

    static OperatorUids forTable(
            String table,
            ProviderContext providerContext,
            StreamExecutionEnvironment environment,
            ReadableConfig session) {
        int writes = count(table, environment, session.get(TRANSLATION));
        String suffix = writes == 1 ? "" : "#" + writes;
        return new OperatorUids(providerContext, "partition-bridge:" + table + suffix + ":");
    }

    String uid(String role) {
        Optional<String> planned = providerContext.generateUid(role);
        return planned.map(uid -> uid + SET_APART).orElse(base + role);
    }

    private static int count(String table, StreamExecutionEnvironment environment, String mark) {
        synchronized (TRANSLATIONS) {
            Translation current = TRANSLATIONS.get(environment);
            if (current == null || !current.mark().equals(mark)) {
                current = new Translation(mark, new HashMap<>());
                TRANSLATIONS.put(environment, current);
            }
            return current.writes().merge(table, 1, Integer::sum);
        }
    }

    private record Translation(String mark, Map<String, Integer> writes) {}
}
