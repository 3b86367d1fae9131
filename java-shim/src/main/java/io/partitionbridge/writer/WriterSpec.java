package io.partitionbridge.writer;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.table.FileSystemTableSink.TableRollingPolicy;
import org.apache.flink.table.types.logical.RowType;

/**
 * Everything about a table that a writer subtask needs, fixed at planning.
 *
 * <p>Sizes are bytes and times milliseconds. Nothing here is secret: credentials are read from the
 * TaskManager's configuration when the subtask opens (I12).
 *
 * @param tableName catalog.database.table, for messages
 * @param path table location as the DDL gives it, "s3://bucket/prefix"
 * @param rowType physical row, partition columns included, in DDL order
 * @param partitionKeys partition columns, outermost first
 * @param defaultPartitionName name for null and empty partition values
 * @param filePrefix start of part file names ("part")
 * @param fileSuffix end of part file names ("")
 * @param formatOptions every option under "parquet.", keys with the prefix
 * @param rollFileSize sink.rolling-policy.file-size
 * @param rolloverInterval sink.rolling-policy.rollover-interval
 * @param inactivityInterval sink.rolling-policy.inactivity-interval
 * @param checkInterval sink.rolling-policy.check-interval
 * @param rollOnCheckpoint sink.rolling-policy.roll-on-checkpoint: of Parquet files that pyarrow
 *     encodes
 * @param commitOptions the table's options where a committer follows (partition keys and a policy
 *     kind are set), else null
 * @param partSize sink.upload.part-size
 * @param uploadConcurrency sink.upload.concurrency
 * @param commitConcurrency sink.commit.concurrency
 * @param checksum sink.upload.checksum
 * @param conditional sink.upload.conditional
 * @param inlineThreshold sink.upload.inline-threshold
 * @param writerMemory sink.writer.memory
 * @param inlineLimit sink.state.inline-limit, or -1 where the default applies
 * @param missingUpload sink.restore.missing-upload
 * @param hostFormat Flink's format where it encodes; null where pyarrow does
 * @param pythonExecutable python.executable of the table or of Flink's configuration, or null
 */
public record WriterSpec(
        String tableName,
        String path,
        RowType rowType,
        List<String> partitionKeys,
        String defaultPartitionName,
        String filePrefix,
        String fileSuffix,
        Map<String, String> formatOptions,
        long rollFileSize,
        long rolloverInterval,
        long inactivityInterval,
        long checkInterval,
        boolean rollOnCheckpoint,
        Configuration commitOptions,
        long partSize,
        int uploadConcurrency,
        int commitConcurrency,
        String checksum,
        String conditional,
        long inlineThreshold,
        long writerMemory,
        long inlineLimit,
        String missingUpload,
        HostFormat hostFormat,
        String pythonExecutable)
        implements Serializable {

    private static final int FINGERPRINT_BYTES = 8;

    TableLocation location() {
        return TableLocation.parse(path);
    }

    /** Indexes of the columns that go into the files, in DDL order. */
    int[] dataFields() {
        return IntStream.range(0, rowType.getFieldCount())
                .filter(i -> !partitionKeys.contains(rowType.getFieldNames().get(i)))
                .toArray();
    }

    /** Whether a file may take rows of several checkpoints. */
    boolean filesSpanCheckpoints() {
        return hostFormat == null ? !rollOnCheckpoint : hostFormat.spansCheckpoints();
    }

    /** Flink's own policy. */
    TableRollingPolicy rollingPolicy() {
        return new TableRollingPolicy(
                !filesSpanCheckpoints(), rollFileSize, rolloverInterval, inactivityInterval);
    }

    /** 16 hex digits that tell one list of data columns from another. */
    String schemaFingerprint() {
        StringBuilder columns = new StringBuilder();
        for (int field : dataFields()) {
            columns.append(rowType.getFields().get(field).asSummaryString()).append('\n');
        }
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] hash = digest.digest(columns.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, FINGERPRINT_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JVM has SHA-256", e);
        }
    }
}
