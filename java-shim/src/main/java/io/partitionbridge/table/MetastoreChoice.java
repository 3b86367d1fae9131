package io.partitionbridge.table;

import static io.partitionbridge.table.MetastoreOptions.METASTORE;
import static io.partitionbridge.table.MetastoreOptions.PREFIX;
import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.SINK_PARTITION_COMMIT_POLICY_KIND;

import io.partitionbridge.batch.PolicyKinds;
import io.partitionbridge.metastore.HiveTypes;
import io.partitionbridge.metastore.MetastoreSpec;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.connector.file.table.PartitionCommitPolicy;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/** Which metastore the policies of a table write to; refuses options that fit no metastore. */
final class MetastoreChoice {

    private static final Set<ConfigOption<?>> OF_HIVE =
            Set.of(MetastoreOptions.URI, MetastoreOptions.TLS, MetastoreOptions.TLS_CA);

    private static final Set<ConfigOption<?>> OF_GLUE =
            Set.of(MetastoreOptions.REGION, MetastoreOptions.ENDPOINT, MetastoreOptions.CATALOG_ID);

    private MetastoreChoice() {}

    /** Whether the table's commits go through the policy 'metastore'. */
    static boolean isPolicy(ReadableConfig options) {
        return PolicyKinds.has(options, PartitionCommitPolicy.METASTORE);
    }

    /**
     * @param options of a table whose policies run
     * @param batch where, as in Flink, a policy without a metastore has no effect
     */
    static void validate(Configuration options, boolean batch) {
        String kind = options.get(METASTORE);
        if (isPolicy(options) && kind == null && !batch) {
            // Flink's message, word for word: who looks for it finds it. The SQL client shows the
            // cause.
            throw new ValidationException(
                    "Can not configure a 'metastore' partition commit policy for a file system table. You can only"
                            + " configure 'metastore' partition commit policy for a hive table.",
                    new ValidationException(
                            "The partition commit policy 'metastore' needs to know which: set 'metastore' = 'hive',"
                                    + " 'glue' or the name of a Python entry point to say where the bridge registers"
                                    + " partitions."));
        }
        if (kind == null) {
            given(options).keySet().stream()
                    .findFirst()
                    .ifPresent(
                            key -> {
                                throw new ValidationException(
                                        String.format(
                                                "'%s' is for a metastore, and the table has none. Set 'metastore' ="
                                                        + " 'hive' or 'glue', or remove the option.",
                                                PREFIX + key));
                            });
            return;
        }
        if (!isPolicy(options)) {
            throw new ValidationException(
                    String.format(
                            "'metastore' = '%s' is without effect: no policy writes to it. Set '%s' ="
                                    + " 'metastore,success-file', or remove 'metastore'.",
                            kind, SINK_PARTITION_COMMIT_POLICY_KIND.key()));
        }
        validateKind(kind, options);
    }

    private static void validateKind(String kind, Configuration options) {
        boolean hive = kind.equals(MetastoreSpec.HIVE);
        if (hive && !options.contains(MetastoreOptions.URI)) {
            throw new ValidationException(
                    "'metastore' = 'hive' needs to know where. Set 'metastore.uri' = 'thrift://host:9083'.");
        }
        if (!hive && !kind.equals(MetastoreSpec.GLUE)) {
            return;
        }
        Set<ConfigOption<?>> others = hive ? OF_GLUE : OF_HIVE;
        Set<String> known =
                MetastoreOptions.all().stream()
                        .filter(option -> !others.contains(option) && option != METASTORE)
                        .map(ConfigOption::key)
                        .collect(Collectors.toSet());
        for (String key : given(options).keySet()) {
            if (!known.contains(PREFIX + key)) {
                throw new ValidationException(
                        String.format(
                                "'%s' is no option of 'metastore' = '%s', which has %s. Remove it.",
                                PREFIX + key, kind, known.stream().sorted().toList()));
            }
        }
    }

    /** The table's options under the prefix, without it. */
    private static Map<String, String> given(Configuration options) {
        return under(options, PREFIX);
    }

    private static Map<String, String> under(Configuration options, String prefix) {
        return new TreeMap<>(ConfigurationUtils.getPrefixedKeyValuePairs(prefix, options));
    }

    /**
     * @return null where no policy of the table writes to a metastore
     */
    static MetastoreSpec spec(TableDefinition table, String pythonExecutable) {
        Configuration options = table.options();
        if (table.partitionKeys().isEmpty() || !isPolicy(options) || !options.contains(METASTORE)) {
            return null;
        }
        RowType row = (RowType) table.physicalRowDataType().getLogicalType();
        return new MetastoreSpec(
                options.get(METASTORE),
                table.identifier().asSummaryString(),
                options.get(MetastoreOptions.DATABASE),
                options.getOptional(MetastoreOptions.TABLE)
                        .orElse(table.identifier().getObjectName()),
                SinkChoice.qualified(table.path()),
                row.getFieldNames().stream()
                        .filter(name -> !table.partitionKeys().contains(name))
                        .map(name -> column(row, name))
                        .toList(),
                table.partitionKeys().stream().map(name -> column(row, name)).toList(),
                table.format(),
                under(options, table.format() + "."),
                options.get(MetastoreOptions.CREATE_TABLE),
                options.get(MetastoreOptions.RETRY_TIMEOUT).toMillis(),
                given(options),
                pythonExecutable);
    }

    private static MetastoreSpec.Column column(RowType row, String name) {
        LogicalType type = row.getTypeAt(row.getFieldIndex(name));
        return new MetastoreSpec.Column(name, type.asSummaryString(), HiveTypes.of(type));
    }
}
