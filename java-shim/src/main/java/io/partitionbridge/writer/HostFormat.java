package io.partitionbridge.writer;

import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.api.common.serialization.Encoder;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.table.data.RowData;

/**
 * Flink's own format of a table, which encodes in the task; so the bytes are Flink's.
 *
 * @param writers takes whole rows, partition columns included
 * @param spansCheckpoints whether a file may take rows of several checkpoints: every byte of a row
 *     must be in the stream when the row is written
 * @param compression what the writer process does to the bytes, as sink.file.compression names it
 */
public record HostFormat(
        BulkWriter.Factory<RowData> writers, boolean spansCheckpoints, String compression)
        implements Serializable {

    static final String UNCOMPRESSED = "none";

    /** A format whose files end with each checkpoint, since only a finished file is readable. */
    public static HostFormat bulk(BulkWriter.Factory<RowData> writers) {
        return new HostFormat(writers, false, UNCOMPRESSED);
    }

    /** A format that writes row by row. */
    public static HostFormat rows(Encoder<RowData> encoder) {
        return new HostFormat(out -> new RowByRow(encoder, out), true, UNCOMPRESSED);
    }

    /** The same, its files compressed by the writer process. */
    public HostFormat compressed(String how) {
        return new HostFormat(writers, spansCheckpoints, how);
    }

    boolean isCompressed() {
        return !compression.equals(UNCOMPRESSED);
    }

    private record RowByRow(Encoder<RowData> encoder, FSDataOutputStream out)
            implements BulkWriter<RowData> {

        @Override
        public void addElement(RowData row) throws IOException {
            encoder.encode(row, out);
        }

        @Override
        public void flush() {}

        @Override
        public void finish() {}
    }
}
