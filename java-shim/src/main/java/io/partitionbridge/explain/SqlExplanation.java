package io.partitionbridge.explain;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.PluginUtils;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/**
 * Tells who would write the tables of a SQL file: one line of JSON on standard output, <code>
 * {"explained": […]}</code>, for {@code partition-bridge explain}. Nothing is run, and no store is
 * asked.
 *
 * <p>The statements come as a JSON list of texts on standard input, not as arguments: an option of
 * a table may be a password (I12).
 */
public final class SqlExplanation {

    private SqlExplanation() {}

    public static void main(String[] args) throws Exception {
        ObjectMapper json = new ObjectMapper();
        List<String> statements = List.of(json.readValue(System.in, String[].class));
        Configuration configuration = GlobalConfiguration.loadConfiguration();
        FileSystem.initialize(
                configuration, PluginUtils.createPluginManagerFromRootFolder(configuration));
        System.out.println(
                json.writeValueAsString(Map.of("explained", explained(statements, configuration))));
    }

    /**
     * @return for each INSERT the facts of its sink, with "statement", counted from 1; the last one
     *     has an "error" instead where a statement is refused
     */
    static List<Map<String, Object>> explained(
            List<String> statements, Configuration configuration) {
        List<Map<String, Object>> told = new ArrayList<>();
        int number = 0;
        try {
            PlannedStatements planned = new PlannedStatements(statements, configuration);
            for (String statement : statements) {
                number++;
                for (Map<String, Object> sink : planned.sinksOf(statement)) {
                    told.add(numbered(number, sink));
                }
            }
        } catch (RuntimeException | LinkageError e) {
            told.add(numbered(number, Map.of("error", reasons(e))));
        }
        return told;
    }

    private static Map<String, Object> numbered(int number, Map<String, Object> facts) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("statement", number);
        all.putAll(facts);
        return all;
    }

    // Outermost first: which table it was stands there, and what is wrong with it further in.
    private static List<String> reasons(Throwable failure) {
        List<String> found = new ArrayList<>();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            String told = each.getMessage() == null ? each.toString() : each.getMessage();
            if (found.stream().noneMatch(outer -> outer.contains(told))) {
                found.add(told);
            }
        }
        return found;
    }
}
