package io.partitionbridge.table;

import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.PARTITION_DEFAULT_NAME;
import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.SINK_ROLLING_POLICY_CHECK_INTERVAL;
import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.SINK_ROLLING_POLICY_FILE_SIZE;
import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.SINK_ROLLING_POLICY_INACTIVITY_INTERVAL;
import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.SINK_ROLLING_POLICY_ROLLOVER_INTERVAL;

import io.partitionbridge.batch.BatchInsert;
import io.partitionbridge.metastore.MetastoreSpec;
import io.partitionbridge.writer.HostFormat;
import io.partitionbridge.writer.PartFileNames;
import io.partitionbridge.writer.WriterSpec;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.connector.file.table.FileSystemTableSink;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.sink.DataStreamSinkProvider;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.abilities.SupportsOverwrite;
import org.apache.flink.table.connector.sink.abilities.SupportsPartitioning;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sink of a table: the bridge's operators, or Flink's own where the bridge can't do what Flink
 * does ({@link SinkChoice}).
 *
 * <p>Everything that the planner asks of a sink is answered by Flink's own.
 */
public class BridgeTableSink implements DynamicTableSink, SupportsPartitioning, SupportsOverwrite {

    private static final Logger LOG = LoggerFactory.getLogger(BridgeTableSink.class);

    // What Flink's sink can't honour, and so a fallback must not silently drop.
    private static final List<ConfigOption<?>> BRIDGE_ONLY =
            List.of(
                    BridgeOptions.FILE_PREFIX,
                    BridgeOptions.FILE_SUFFIX,
                    BridgeOptions.FILE_COMPRESSION,
                    MetastoreOptions.METASTORE,
                    BridgeOptions.ROLL_ON_CHECKPOINT);

    // No size or age; still below what the writer reports to have a file closed.
    private static final long NEVER = Long.MAX_VALUE - 1;

    // Small files go through the exchange and the committer, of all subtasks at once.
    private static final long BATCH_INLINE_LIMIT = 256 << 10;

    private final FileSystemTableSink flinkSink;
    private final TableFormat format;
    private final TableDefinition table;
    private final ReadableConfig session;
    private LinkedHashMap<String, String> staticPartitions = new LinkedHashMap<>();
    private boolean overwrite;
    private boolean grouped;

    BridgeTableSink(
            FileSystemTableSink flinkSink,
            TableFormat format,
            TableDefinition table,
            ReadableConfig session) {
        this.flinkSink = flinkSink;
        this.format = format;
        this.table = table;
        this.session = session;
    }

    @Override
    public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
        boolean batch = context.isBounded();
        if (overwrite && !batch) {
            // The first sentence is Flink's.
            throw new IllegalStateException(
                    "Streaming mode not support overwrite. Use INSERT INTO, or set"
                            + " 'execution.runtime-mode' = 'batch'.");
        }
        if (batch || !table.partitionKeys().isEmpty()) {
            // Streaming runs no policy on a table without partitions, whatever its name.
            OptionValidation.validatePolicies(table.options());
            MetastoreChoice.validate(table.options(), batch);
        }
        FileCompression.validate(table);
        Optional<FallbackReason> fallback = SinkChoice.fallback(table, batch, flinkConfiguration());
        if (fallback.isPresent()) {
            return flinkProvider(context, fallback.get());
        }
        PartitionColumns.validate(table, batch ? staticPartitions.keySet() : Set.of());
        MetastoreSpec metastore = MetastoreChoice.spec(table, pythonExecutable());
        WriterSpec spec =
                writerSpec(EncoderChoice.arrow(table) ? null : hostFormat(context, batch), batch);
        return new DataStreamSinkProvider() {
            @Override
            public DataStreamSink<?> consumeDataStream(
                    ProviderContext providerContext, DataStream<RowData> input) {
                OperatorUids uids =
                        OperatorUids.forTable(
                                table.identifier().asSummaryString(),
                                providerContext,
                                input.getExecutionEnvironment(),
                                session);
                return batch
                        ? BatchTopology.build(batchInsert(metastore), spec, input, uids)
                        : BridgeTopology.build(table, spec, metastore, input, uids);
            }
        };
    }

    private HostFormat hostFormat(Context context, boolean batch) {
        HostFormat host = FileCompression.apply(format.hostFormat(table, context), table.options());
        if (!batch) {
            EncoderChoice.requireThatFilesGoOn(table, host);
        }
        return host;
    }

    private SinkRuntimeProvider flinkProvider(Context context, FallbackReason fallback) {
        String name = table.identifier().asSummaryString();
        if (table.options().get(BridgeOptions.FALLBACK) == BridgeOptions.Fallback.FORBID) {
            throw new ValidationException(
                    String.format(
                            "The bridge can't write %s: %s. %s Or set '%s' = 'allow' to use Flink's own sink.",
                            name,
                            fallback.reason(),
                            fallback.remedy(),
                            BridgeOptions.FALLBACK.key()));
        }
        for (ConfigOption<?> option : BRIDGE_ONLY) {
            Object value = table.options().get(option);
            if (!Objects.equals(value, option.defaultValue())) {
                throw new ValidationException(
                        String.format(
                                "'%s' = '%s' can't be honoured for %s, since Flink's own sink has to write it: %s. %s"
                                        + " Or %s.",
                                option.key(),
                                value,
                                name,
                                fallback.reason(),
                                fallback.remedy(),
                                option.hasDefaultValue()
                                        ? "set '"
                                                + option.key()
                                                + "' = '"
                                                + option.defaultValue()
                                                + "'"
                                        : "remove '" + option.key() + "'"));
            }
        }
        LOG.warn(
                "{} is written by Flink's own sink: {}. {}",
                name,
                fallback.reason(),
                fallback.remedy());
        DataStreamSinkProvider provider =
                (DataStreamSinkProvider) flinkSink.getSinkRuntimeProvider(context);
        return new DataStreamSinkProvider() {
            @Override
            public DataStreamSink<?> consumeDataStream(
                    ProviderContext providerContext, DataStream<RowData> input) {
                DataStreamSink<?> sink = provider.consumeDataStream(providerContext, input);
                Transformation<?> end = sink.getTransformation();
                FlinkTopology.mark(end, input.getTransformation(), fallback);
                return sink;
            }
        };
    }

    /** The same choices, for a person to read. */
    SinkPlan plan(boolean batch) {
        return SinkPlan.of(table, SinkChoice.fallback(table, batch, flinkConfiguration()), batch);
    }

    // The client's own configuration file may say more than the session does.
    private Map<String, String> flinkConfiguration() {
        Map<String, String> configuration =
                new HashMap<>(GlobalConfiguration.loadConfiguration().toMap());
        configuration.putAll(session.toMap());
        return configuration;
    }

    private BatchInsert batchInsert(MetastoreSpec metastore) {
        return new BatchInsert(
                PartFileNames.newInsert(),
                table.identifier(),
                table.partitionKeys().size(),
                staticPartitions,
                overwrite,
                grouped,
                table.options(),
                metastore);
    }

    /**
     * @param batch where a file ends with its partition, as in Flink's batch sink
     */
    private WriterSpec writerSpec(HostFormat hostFormat, boolean batch) {
        Configuration options = table.options();
        long inlineLimit =
                options.getOptional(BridgeOptions.INLINE_LIMIT)
                        .map(MemorySize::getBytes)
                        .orElse(-1L);
        return new WriterSpec(
                table.identifier().asSummaryString(),
                SinkChoice.qualified(table.path()),
                (RowType) table.physicalRowDataType().getLogicalType(),
                List.copyOf(table.partitionKeys()),
                options.get(PARTITION_DEFAULT_NAME),
                options.get(BridgeOptions.FILE_PREFIX),
                FileCompression.suffix(options),
                Map.copyOf(table.parquetOptions()),
                batch ? NEVER : options.get(SINK_ROLLING_POLICY_FILE_SIZE).getBytes(),
                batch ? NEVER : options.get(SINK_ROLLING_POLICY_ROLLOVER_INTERVAL).toMillis(),
                batch ? NEVER : options.get(SINK_ROLLING_POLICY_INACTIVITY_INTERVAL).toMillis(),
                options.get(SINK_ROLLING_POLICY_CHECK_INTERVAL).toMillis(),
                batch || options.get(BridgeOptions.ROLL_ON_CHECKPOINT),
                table.commitsPartitions() && !batch ? options : null,
                options.get(BridgeOptions.PART_SIZE).getBytes(),
                options.get(BridgeOptions.UPLOAD_CONCURRENCY),
                options.get(BridgeOptions.COMMIT_CONCURRENCY),
                options.get(BridgeOptions.CHECKSUM).toString(),
                options.get(BridgeOptions.CONDITIONAL).toString(),
                options.get(BridgeOptions.INLINE_THRESHOLD).getBytes(),
                options.get(BridgeOptions.WRITER_MEMORY).getBytes(),
                batch ? batchInlineLimit(inlineLimit) : inlineLimit,
                options.get(BridgeOptions.MISSING_UPLOAD).toString(),
                hostFormat,
                pythonExecutable());
    }

    private String pythonExecutable() {
        return table.options()
                .getOptional(BridgeOptions.PYTHON_EXECUTABLE)
                .or(() -> session.getOptional(BridgeOptions.PYTHON_EXECUTABLE))
                .orElse(null);
    }

    private static long batchInlineLimit(long limit) {
        return limit < 0 ? BATCH_INLINE_LIMIT : Math.min(limit, BATCH_INLINE_LIMIT);
    }

    @Override
    public ChangelogMode getChangelogMode(ChangelogMode requestedMode) {
        return flinkSink.getChangelogMode(requestedMode);
    }

    @Override
    public DynamicTableSink copy() {
        BridgeTableSink copy =
                new BridgeTableSink((FileSystemTableSink) flinkSink.copy(), format, table, session);
        copy.overwrite = overwrite;
        copy.grouped = grouped;
        copy.staticPartitions = staticPartitions;
        return copy;
    }

    @Override
    public String asSummaryString() {
        return flinkSink.asSummaryString();
    }

    @Override
    public void applyStaticPartition(Map<String, String> partition) {
        flinkSink.applyStaticPartition(partition);
        staticPartitions = new LinkedHashMap<>();
        for (String key : table.partitionKeys()) {
            if (partition.containsKey(key)) {
                staticPartitions.put(key, partition.get(key));
            }
        }
    }

    @Override
    public boolean requiresPartitionGrouping(boolean supportsGrouping) {
        grouped = flinkSink.requiresPartitionGrouping(supportsGrouping);
        return grouped;
    }

    @Override
    public void applyOverwrite(boolean overwrite) {
        this.overwrite = overwrite;
        flinkSink.applyOverwrite(overwrite);
    }
}
