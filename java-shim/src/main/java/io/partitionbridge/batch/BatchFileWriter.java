package io.partitionbridge.batch;

import io.partitionbridge.writer.PartFileNames;
import io.partitionbridge.writer.SubtaskWriter;
import io.partitionbridge.writer.WriterSpec;
import java.security.SecureRandom;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;

/**
 * Writes the rows of a batch job into files that stay invisible, and emits the state entry of each
 * at the end of its input.
 *
 * <p>One file per partition, as Flink's batch sink has it, and more only where memory or the number
 * of parts runs out. Attempts may run side by side (speculative execution): each has files of its
 * own, and only the entries that the committer receives count.
 */
public class BatchFileWriter extends AbstractStreamOperator<byte[]>
        implements OneInputStreamOperator<RowData, byte[]>, BoundedOneInput {

    private static final long serialVersionUID = 1L;

    private final WriterSpec spec;
    private final BatchInsert insert;

    private transient SubtaskWriter writer;
    private transient String staticPartition;
    private transient String currentPartition;

    public BatchFileWriter(WriterSpec spec, BatchInsert insert) {
        this.spec = spec;
        this.insert = insert;
    }

    @Override
    public void open() throws Exception {
        super.open();
        staticPartition = insert.isStatic() ? insert.staticPartition() : null;
        int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        writer =
                SubtaskWriter.open(
                        spec,
                        this,
                        PartFileNames.ofInsert(
                                spec.filePrefix(),
                                spec.fileSuffix(),
                                insert.id(),
                                subtask,
                                new SecureRandom()));
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        RowData row = element.getValue();
        String partition = staticPartition != null ? staticPartition : writer.partitionOf(row);
        if (insert.grouped() && !partition.equals(currentPartition)) {
            writer.closeFiles("partition");
            currentPartition = partition;
        }
        writer.write(row, partition);
    }

    @Override
    public void endInput() throws Exception {
        for (byte[] entry : writer.finish()) {
            output.collect(new StreamRecord<>(entry));
        }
    }

    @Override
    public void close() throws Exception {
        if (writer != null) {
            writer.close();
        }
        super.close();
    }
}
