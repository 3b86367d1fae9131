package io.partitionbridge.table;

import io.partitionbridge.writer.HostFormat;
import java.util.Optional;
import org.apache.flink.table.api.ValidationException;

/** Whether pyarrow or Flink's own format encodes a bridged table; decided at planning. */
final class EncoderChoice {

    private EncoderChoice() {}

    /**
     * @return true for pyarrow
     * @throws ValidationException for an encoder that can't write what the options ask for, and for
     *     values that neither can
     */
    static boolean arrow(TableDefinition table) {
        BridgeOptions.Encoder wanted = table.options().get(BridgeOptions.ENCODER);
        Optional<FallbackReason> obstacle = obstacle(table);
        if (wanted == BridgeOptions.Encoder.ARROW && obstacle.isPresent()) {
            throw new ValidationException(
                    String.format(
                            "'%s' = 'arrow' can't encode %s: %s. %s Or set '%s' = 'auto'.",
                            BridgeOptions.ENCODER.key(),
                            table.identifier().asSummaryString(),
                            obstacle.get().reason(),
                            obstacle.get().remedy(),
                            BridgeOptions.ENCODER.key()));
        }
        return wanted != BridgeOptions.Encoder.HOST && obstacle.isEmpty();
    }

    /**
     * Only finished files of Flink's bulk formats can be read, so none goes on after a checkpoint.
     *
     * @throws ValidationException where the table's are to
     */
    static void requireThatFilesGoOn(TableDefinition table, HostFormat host) {
        if (table.options().get(BridgeOptions.ROLL_ON_CHECKPOINT) || host.spansCheckpoints()) {
            return;
        }
        FallbackReason why = whyHost(table);
        throw new ValidationException(
                String.format(
                        "'%s' = 'false' can't be honoured for %s, since Flink's own format has to encode it: %s. %s"
                                + " Or remove '%s'.",
                        BridgeOptions.ROLL_ON_CHECKPOINT.key(),
                        table.identifier().asSummaryString(),
                        why.reason(),
                        why.remedy(),
                        BridgeOptions.ROLL_ON_CHECKPOINT.key()));
    }

    /** What keeps pyarrow from encoding a table that Flink's format encodes. */
    static FallbackReason whyHost(TableDefinition table) {
        return obstacle(table)
                .orElse(
                        new FallbackReason(
                                "'" + BridgeOptions.ENCODER.key() + "' = 'host'",
                                "Remove that option."));
    }

    private static Optional<FallbackReason> obstacle(TableDefinition table) {
        if (!table.format().equals("parquet")) {
            return Optional.of(
                    new FallbackReason("'format' = '" + table.format() + "'", "Use 'parquet'."));
        }
        return ParquetOptions.unsupported(table.parquetOptions());
    }
}
