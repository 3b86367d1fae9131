package io.partitionbridge.explain;

import io.partitionbridge.table.SinkPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.internal.TableEnvironmentInternal;
import org.apache.flink.table.catalog.ContextResolvedTable;
import org.apache.flink.table.catalog.GenericInMemoryCatalog;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.operations.BeginStatementSetOperation;
import org.apache.flink.table.operations.CreateTableASOperation;
import org.apache.flink.table.operations.EndStatementSetOperation;
import org.apache.flink.table.operations.ModifyOperation;
import org.apache.flink.table.operations.Operation;
import org.apache.flink.table.operations.SinkModifyOperation;
import org.apache.flink.table.operations.StatementSetOperation;
import org.apache.flink.table.operations.command.ResetOperation;
import org.apache.flink.table.operations.command.SetOperation;

/**
 * Statements of a SQL client's session, planned in their order: declarations are carried out in
 * memory, INSERTs are planned as for a run, and everything else is passed over.
 */
final class PlannedStatements {

    private static final Pattern RUNTIME_MODE =
            Pattern.compile("(?is)^\\s*SET\\s+'execution\\.runtime-mode'\\s*=\\s*'([^']*)'.*");
    private static final Pattern DECLARES =
            Pattern.compile("(?is)^\\s*(CREATE|ALTER|DROP|USE|LOAD|UNLOAD|ADD|REMOVE)\\b.*");
    private static final Pattern CHANGES_A_CATALOG =
            Pattern.compile("(?is)^\\s*(CREATE|ALTER|DROP)\\s+(?!TEMPORARY\\b|CATALOG\\b).*");
    private static final Set<String> CONNECTORS = Set.of("filesystem-bridge", "filesystem");

    private final TableEnvironmentInternal tables;
    private final boolean batch;

    /**
     * @param statements all of them: the mode, which a session may set, is the planner's for good
     * @throws ValidationException where they set several modes
     */
    PlannedStatements(List<String> statements, Configuration configuration) {
        Set<String> modes = new TreeSet<>();
        for (String statement : statements) {
            Matcher set = RUNTIME_MODE.matcher(statement);
            if (set.matches()) {
                modes.add(set.group(1).toUpperCase(Locale.ROOT));
            }
        }
        if (modes.size() > 1) {
            throw new ValidationException(
                    "'execution.runtime-mode' is set to "
                            + String.join(" and to ", modes)
                            + ": explain one part of the file after the other.");
        }
        batch =
                modes.stream()
                        .findFirst()
                        .map(mode -> mode.equals(RuntimeExecutionMode.BATCH.name()))
                        .orElse(
                                configuration.get(ExecutionOptions.RUNTIME_MODE)
                                        == RuntimeExecutionMode.BATCH);
        EnvironmentSettings.Builder settings =
                EnvironmentSettings.newInstance().withConfiguration(configuration);
        tables =
                (TableEnvironmentInternal)
                        TableEnvironment.create(
                                (batch ? settings.inBatchMode() : settings.inStreamingMode())
                                        .build());
    }

    /**
     * @return the facts of each sink that the statement writes to
     * @throws RuntimeException as Flink's planner and the connectors throw it
     */
    List<Map<String, Object>> sinksOf(String statement) {
        if (RUNTIME_MODE.matcher(statement).matches()) {
            return List.of();
        }
        Operation parsed = tables.getParser().parse(statement).get(0);
        if (parsed instanceof CreateTableASOperation) {
            throw new ValidationException(
                    "CREATE TABLE AS declares and writes at once. Write it as CREATE TABLE and INSERT INTO to have it explained.");
        } else if (parsed instanceof SetOperation set) {
            set.getKey().ifPresent(key -> tables.getConfig().set(key, set.getValue().orElse("")));
        } else if (parsed instanceof ResetOperation reset) {
            tables.getConfig().getConfiguration().removeKey(reset.getKey().orElse(""));
        } else if (parsed instanceof StatementSetOperation several) {
            return planned(several.getOperations());
        } else if (parsed instanceof ModifyOperation insert) {
            return planned(List.of(insert));
        } else if (DECLARES.matcher(statement).matches()
                && !(parsed instanceof BeginStatementSetOperation)
                && !(parsed instanceof EndStatementSetOperation)) {
            requireNothingChanged(statement);
            tables.executeInternal(parsed);
        }
        return List.of();
    }

    private void requireNothingChanged(String statement) {
        if (!CHANGES_A_CATALOG.matcher(statement).matches()) {
            return;
        }
        String lasting =
                Arrays.stream(tables.listCatalogs())
                        .filter(
                                name ->
                                        !(tables.getCatalog(name).orElseThrow()
                                                instanceof GenericInMemoryCatalog))
                        .collect(Collectors.joining(", "));
        if (!lasting.isEmpty()) {
            throw new ValidationException(
                    "This might change the catalog "
                            + lasting
                            + ", and explaining changes nothing. Declare what it declares with CREATE TEMPORARY to have the file explained.");
        }
    }

    private List<Map<String, Object>> planned(List<ModifyOperation> inserts) {
        // As for a run: what planner, formats and sources refuse, they refuse here.
        tables.explainInternal(new ArrayList<>(inserts), ExplainDetail.JSON_EXECUTION_PLAN);
        return inserts.stream()
                .filter(SinkModifyOperation.class::isInstance)
                .map(insert -> facts((SinkModifyOperation) insert))
                .collect(Collectors.toList());
    }

    private Map<String, Object> facts(SinkModifyOperation insert) {
        ContextResolvedTable table = insert.getContextResolvedTable();
        Map<String, String> options = new HashMap<>(table.getResolvedTable().getOptions());
        options.putAll(insert.getDynamicOptions());
        String connector = options.get(FactoryUtil.CONNECTOR.key());
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("table", table.getIdentifier().asSummaryString());
        found.put("connector", connector);
        found.put("mode", batch ? "batch" : "streaming");
        found.put(
                "checkpoint_interval_ms",
                tables.getConfig()
                        .getOptional(CheckpointingOptions.CHECKPOINTING_INTERVAL)
                        .map(each -> each.toMillis())
                        .orElse(null));
        SinkPlan plan = CONNECTORS.contains(connector) ? plan(table, options) : null;
        found.put("writer", plan == null ? null : plan.writer().name().toLowerCase(Locale.ROOT));
        found.put("path", plan == null ? null : plan.path());
        found.put("format", plan == null ? null : plan.format());
        found.put("policies", plan == null ? null : plan.policies());
        found.put("reason", plan == null ? null : plan.reason());
        found.put("remedy", plan == null ? null : plan.remedy());
        return found;
    }

    // Flink's own 'filesystem' has no plan of ours.
    private SinkPlan plan(ContextResolvedTable table, Map<String, String> options) {
        ResolvedCatalogTable merged =
                ((ResolvedCatalogTable) table.getResolvedTable()).copy(options);
        return SinkPlan.of(
                        FactoryUtil.createDynamicTableSink(
                                null,
                                table.getIdentifier(),
                                merged,
                                Map.of(),
                                tables.getConfig(),
                                PlannedStatements.class.getClassLoader(),
                                table.isTemporary()),
                        batch)
                .orElse(null);
    }
}
