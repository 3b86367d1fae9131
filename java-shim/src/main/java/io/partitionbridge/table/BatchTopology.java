package io.partitionbridge.table;

import io.partitionbridge.batch.BatchCommitter;
import io.partitionbridge.batch.BatchFileWriter;
import io.partitionbridge.batch.BatchInsert;
import io.partitionbridge.writer.WriterSpec;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.file.table.FileSystemConnectorOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.api.transformations.PhysicalTransformation;
import org.apache.flink.streaming.api.transformations.StreamExchangeMode;
import org.apache.flink.streaming.runtime.partitioner.GlobalPartitioner;
import org.apache.flink.table.data.RowData;

/**
 * The operators of a bridged table in a batch job: writers, a blocking exchange, one committer, and
 * an end.
 */
final class BatchTopology {

    static final String WRITER_NAME = "BridgeBatchWriter";
    static final String HOST_WRITER_NAME = WRITER_NAME + " (Flink's format)";
    static final String COMMITTER_NAME = "BridgeBatchCommitter";

    private BatchTopology() {}

    static DataStreamSink<?> build(
            BatchInsert insert, WriterSpec spec, DataStream<RowData> input, OperatorUids uids) {
        SingleOutputStreamOperator<byte[]> writers =
                input.transform(
                                spec.hostFormat() == null ? WRITER_NAME : HOST_WRITER_NAME,
                                PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO,
                                new BatchFileWriter(spec, insert))
                        .uid(uids.uid("batch-writer"));
        Integer configured = insert.options().get(FileSystemConnectorOptions.SINK_PARALLELISM);
        writers.getTransformation()
                .setParallelism(
                        configured != null ? configured : input.getParallelism(),
                        configured != null);

        SingleOutputStreamOperator<Void> committer =
                blocking(writers)
                        .transform(COMMITTER_NAME, Types.VOID, new BatchCommitter(spec, insert))
                        .setParallelism(1)
                        .setMaxParallelism(1)
                        .uid(uids.uid("batch-committer"));
        // Two attempts at a time would remove what the other makes visible.
        ((PhysicalTransformation<?>) committer.getTransformation())
                .setSupportsConcurrentExecutionAttempts(false);
        return committer
                .sinkTo(new DiscardingSink<>())
                .name(BridgeTopology.END_NAME)
                .setParallelism(1)
                .uid(uids.uid("discarding-sink"));
    }

    /**
     * The committer reads what all writers have written to their ends; a rerun reads it again. Not
     * a forward edge at any parallelism, so the two never share a task.
     */
    private static DataStream<byte[]> blocking(DataStream<byte[]> writers) {
        return new DataStream<>(
                writers.getExecutionEnvironment(),
                new PartitionTransformation<>(
                        writers.getTransformation(),
                        new GlobalPartitioner<>(),
                        StreamExchangeMode.BATCH));
    }
}
