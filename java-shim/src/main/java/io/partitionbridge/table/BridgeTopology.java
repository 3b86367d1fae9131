package io.partitionbridge.table;

import io.partitionbridge.committer.BridgePartitionCommitter;
import io.partitionbridge.committer.FileReport;
import io.partitionbridge.metastore.MetastoreProcess;
import io.partitionbridge.metastore.MetastoreSpec;
import io.partitionbridge.writer.BridgeFileWriter;
import io.partitionbridge.writer.WriterSpec;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.file.table.EmptyMetaStoreFactory;
import org.apache.flink.connector.file.table.FileSystemConnectorOptions;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.data.RowData;

/**
 * The operators of a bridged table: writers, the committer where partitions are committed, and an
 * end.
 *
 * <p>Same shape and parallelism as Flink's StreamingSink.
 */
final class BridgeTopology {

    static final String WRITER_NAME = "BridgeFileWriter";
    static final String HOST_WRITER_NAME = WRITER_NAME + " (Flink's format)";
    static final String COMMITTER_NAME = "PartitionCommitter";
    static final String END_NAME = "end";

    private BridgeTopology() {}

    /**
     * @param metastore that the table's policies write to, or null
     */
    static DataStreamSink<?> build(
            TableDefinition table,
            WriterSpec spec,
            MetastoreSpec metastore,
            DataStream<RowData> input,
            OperatorUids uids) {
        SingleOutputStreamOperator<FileReport> writers =
                input.transform(
                                spec.hostFormat() == null ? WRITER_NAME : HOST_WRITER_NAME,
                                TypeInformation.of(FileReport.class),
                                new BridgeFileWriter(spec))
                        .uid(uids.uid("streaming-writer"));
        Integer configured = table.options().get(FileSystemConnectorOptions.SINK_PARALLELISM);
        writers.getTransformation()
                .setParallelism(
                        configured != null ? configured : input.getParallelism(),
                        configured != null);

        if (table.commitsPartitions()) {
            return end(committer(table, metastore, writers, uids))
                    .setMaxParallelism(1)
                    .uid(uids.uid("discarding-sink"));
        }
        // With one uid for both, Flink would take a task's largest parallelism over to the other,
        // and so refuse a savepoint once a policy has been added.
        return end(writers).uid(uids.uid("discarding-sink-without-commits"));
    }

    private static DataStreamSink<?> end(DataStream<?> last) {
        return last.sinkTo(new DiscardingSink<>()).name(END_NAME).setParallelism(1);
    }

    // Flink's PartitionCommitter is typed by its own message, which FileReport extends.
    @SuppressWarnings("unchecked")
    private static DataStream<Void> committer(
            TableDefinition table,
            MetastoreSpec metastore,
            DataStream<FileReport> writers,
            OperatorUids uids) {
        Path location = new Path(table.path());
        BridgePartitionCommitter committer =
                new BridgePartitionCommitter(
                        location,
                        table.identifier(),
                        table.partitionKeys(),
                        metastore == null
                                ? new EmptyMetaStoreFactory(location)
                                : new MetastoreProcess(metastore),
                        FileSystem::get,
                        table.options());
        SingleOutputStreamOperator<Void> committed =
                writers.transform(
                                COMMITTER_NAME,
                                Types.VOID,
                                (OneInputStreamOperator<FileReport, Void>)
                                        (OneInputStreamOperator<?, Void>) committer)
                        .setParallelism(1)
                        .setMaxParallelism(1)
                        .uid(uids.uid("partition-committer"));
        // With the writer it would chain at parallelism 1 only, and then count no channels.
        ((OneInputTransformation<?, ?>) committed.getTransformation())
                .setChainingStrategy(ChainingStrategy.HEAD);
        return committed;
    }
}
