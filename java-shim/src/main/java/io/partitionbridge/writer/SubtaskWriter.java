package io.partitionbridge.writer;

import io.partitionbridge.control.WriterSession;
import io.partitionbridge.state.LiveEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.table.data.RowData;

/**
 * The way of a subtask's rows.
 *
 * <pre>
 *   row ─► partition ─► open file ─► encoder ─► frames ─► writer process
 * </pre>
 */
public final class SubtaskWriter implements AutoCloseable {

    private final SubtaskProcess process;
    private final RowEncoder encoder;
    private final PartitionRouter router;
    private final OpenFiles files;
    private final WriterGauges gauges;

    private SubtaskWriter(
            SubtaskProcess process,
            RowEncoder encoder,
            PartitionRouter router,
            OpenFiles files,
            WriterGauges gauges) {
        this.process = process;
        this.encoder = encoder;
        this.router = router;
        this.files = files;
        this.gauges = gauges;
    }

    /** Starts the writer process of the operator's subtask. */
    public static SubtaskWriter open(
            WriterSpec spec, AbstractStreamOperator<?> operator, PartFileNames names)
            throws IOException, InterruptedException {
        FileProgress progress =
                new FileProgress(WriterGauges.partUploads(operator.getMetricGroup())::update);
        SubtaskProcess process = SubtaskProcess.forFiles(spec, operator, progress);
        try {
            return open(spec, operator, names, process, progress);
        } catch (Throwable e) {
            // Errors, too: memory that runs out may run out in each attempt, and each would leave a
            // process.
            process.close();
            throw e;
        }
    }

    private static SubtaskWriter open(
            WriterSpec spec,
            AbstractStreamOperator<?> operator,
            PartFileNames names,
            SubtaskProcess process,
            FileProgress progress)
            throws IOException {
        WriterSession session = process.session();
        Bootstrap bootstrap = SubtaskProcess.bootstrap(spec, operator);
        PartitionRouter router =
                new PartitionRouter(
                        spec.rowType(), spec.partitionKeys(), spec.defaultPartitionName());
        WriterGauges gauges =
                new WriterGauges(operator.getMetricGroup(), session, progress::openFiles);
        RowEncoder encoder =
                spec.hostFormat() == null
                        ? ArrowRows.create(session, spec, bootstrap)
                        : HostRows.create(session, spec, bootstrap);
        OpenFiles files =
                new OpenFiles(
                        session,
                        encoder,
                        spec.rollingPolicy(),
                        names,
                        spec.location(),
                        spec.partSize(),
                        operator.getProcessingTimeService()::getCurrentProcessingTime,
                        progress);
        try {
            encoder.start();
        } catch (Throwable e) {
            encoder.close();
            throw e;
        }
        return new SubtaskWriter(process, encoder, router, files, gauges);
    }

    WriterSession session() {
        return process.session();
    }

    OpenFiles files() {
        return files;
    }

    WriterGauges gauges() {
        return gauges;
    }

    /** Flink's partition path of a row, with a slash at its end; "" without partition columns. */
    public String partitionOf(RowData row) {
        return router.partitionOf(row);
    }

    public void write(RowData row, String partition) throws IOException {
        files.write(row, partition);
        gauges.row();
    }

    /** The next row of each partition opens a new file. */
    public void closeFiles(String reason) throws IOException {
        files.closeAll(reason);
    }

    /**
     * Ends all files and brings every byte into safety, but makes none visible.
     *
     * @return the state entry of each file, which is all that is needed to make it visible
     */
    public List<byte[]> finish() throws IOException {
        CheckpointedFiles finished = new CheckpointedFiles();
        finished.closed(files.seal("end of input"));
        CompletableFuture<Void> safe =
                session()
                        .barrier(
                                Long.MAX_VALUE,
                                false,
                                finished.barrier(Long.MAX_VALUE),
                                new int[0]);
        List<byte[]> entries = new ArrayList<>();
        for (Object element : finished.elements(Long.MAX_VALUE, List.of(), safe, session())) {
            entries.add(((LiveEntry) element).bytes());
        }
        return entries;
    }

    @Override
    public void close() {
        process.close();
        encoder.close();
    }
}
