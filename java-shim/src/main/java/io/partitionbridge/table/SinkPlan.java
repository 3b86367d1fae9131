package io.partitionbridge.table;

import static org.apache.flink.connector.file.table.FileSystemConnectorOptions.SINK_PARTITION_COMMIT_POLICY_KIND;

import java.util.Optional;
import org.apache.flink.table.connector.sink.DynamicTableSink;

/**
 * Who writes a table and who encodes its files, as decided at planning.
 *
 * @param path as the DDL gives it
 * @param format as the DDL gives it
 * @param writer of the table
 * @param reason why it isn't the bridge with pyarrow; null if it is
 * @param remedy what would let the bridge or pyarrow do it; null without a reason
 * @param policies that commit partitions, as the DDL gives them; null where none are committed
 */
public record SinkPlan(
        String path, String format, Writer writer, String reason, String remedy, String policies) {

    /** Of a table's files. */
    public enum Writer {
        /** The bridge, with pyarrow. */
        ARROW,
        /** The bridge, with Flink's own format. */
        HOST,
        /** Flink's own sink. */
        FLINK
    }

    /**
     * @param batch whether the job runs in batch mode
     * @return nothing for the sink of another connector
     */
    public static Optional<SinkPlan> of(DynamicTableSink sink, boolean batch) {
        return sink instanceof BridgeTableSink bridged
                ? Optional.of(bridged.plan(batch))
                : Optional.empty();
    }

    /**
     * @param fallback why Flink's own sink writes the table, if it does
     */
    static SinkPlan of(TableDefinition table, Optional<FallbackReason> fallback, boolean batch) {
        Writer writer = Writer.FLINK;
        Optional<FallbackReason> reason = fallback;
        if (fallback.isEmpty()) {
            boolean arrow = EncoderChoice.arrow(table);
            writer = arrow ? Writer.ARROW : Writer.HOST;
            reason = arrow ? Optional.empty() : Optional.of(EncoderChoice.whyHost(table));
        }
        return new SinkPlan(
                table.path(),
                table.format(),
                writer,
                reason.map(FallbackReason::reason).orElse(null),
                reason.map(FallbackReason::remedy).orElse(null),
                batch || table.commitsPartitions()
                        ? table.options().get(SINK_PARTITION_COMMIT_POLICY_KIND)
                        : null);
    }
}
