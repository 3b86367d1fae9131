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
 */
public record HostFormat(BulkWriter.Factory<RowData> writers, boolean spansCheckpoints)
        implements Serializable {

    /** A format whose files end with each checkpoint, since only a finished file is readable. */
    public static HostFormat bulk(BulkWriter.Factory<RowData> writers) {
        return new HostFormat(writers, false);
    }

    /** A format that writes row by row. */
    public static HostFormat rows(Encoder<RowData> encoder) {
        return new HostFormat(out -> new RowByRow(encoder, out), true);
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
