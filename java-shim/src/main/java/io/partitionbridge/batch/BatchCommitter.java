package io.partitionbridge.batch;

import io.partitionbridge.control.InsertedFiles;
import io.partitionbridge.metastore.MetastoreProcess;
import io.partitionbridge.writer.SubtaskProcess;
import io.partitionbridge.writer.WriterSpec;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.connector.file.table.EmptyMetaStoreFactory;
import org.apache.flink.connector.file.table.TableMetaStoreFactory;
import org.apache.flink.core.fs.Path;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Makes the files of all writers visible once all have ended, and announces their partitions.
 *
 * <pre>
 *   entries ─► (end of input) ─► process: list, removals, completions ─► Flink's policies ─► list gone
 * </pre>
 *
 * <p>There is one, and never two attempts at a time. Each step may be repeated by a rerun, whose
 * entries may be others: the list of the first attempt holds (docs/batch.md).
 */
public class BatchCommitter extends AbstractStreamOperator<Void>
        implements OneInputStreamOperator<byte[], Void>, BoundedOneInput {

    private static final long serialVersionUID = 1L;

    private final WriterSpec spec;
    private final BatchInsert insert;

    private transient List<byte[]> entries;
    private transient SubtaskProcess process;
    private transient MetastoreProcess metastore;

    public BatchCommitter(WriterSpec spec, BatchInsert insert) {
        this.spec = spec;
        this.insert = insert;
    }

    @Override
    public void open() throws Exception {
        super.open();
        entries = new ArrayList<>();
    }

    @Override
    public void processElement(StreamRecord<byte[]> element) {
        entries.add(element.getValue());
    }

    @Override
    public void endInput() throws Exception {
        boolean rerun = getRuntimeContext().getTaskInfo().getAttemptNumber() > 0;
        // A policy that can't be made, or a metastore that lacks the table, fails the task before
        // anything is visible.
        CommitPolicies policies =
                new CommitPolicies(insert, getUserCodeClassloader(), metaStores());
        process = SubtaskProcess.forCommits(spec, this);
        InsertedFiles inserted = process.session().insert(insert.commit(rerun), entries);
        count(inserted);
        policies.run(inserted.partitions());
        process.session().endInsert();
        LOG.info(
                "Insert {} into {}: {} files, {} rows, {} bytes in {} partitions",
                insert.id(),
                insert.table(),
                inserted.files(),
                inserted.rows(),
                inserted.bytes(),
                inserted.partitions().size());
    }

    private TableMetaStoreFactory metaStores() throws Exception {
        if (insert.metastore() == null) {
            return new EmptyMetaStoreFactory(new Path(insert.path()));
        }
        metastore = new MetastoreProcess(insert.metastore());
        metastore.start(this);
        return metastore;
    }

    private void count(InsertedFiles inserted) {
        MetricGroup metrics = getMetricGroup();
        metrics.counter("filesCommitted").inc(inserted.files());
        metrics.counter("bytesCommitted").inc(inserted.bytes());
        metrics.counter("partitionsCommitted").inc(inserted.partitions().size());
    }

    @Override
    public void close() throws Exception {
        if (metastore != null) {
            metastore.close();
        }
        if (process != null) {
            process.close();
        }
        super.close();
    }
}
