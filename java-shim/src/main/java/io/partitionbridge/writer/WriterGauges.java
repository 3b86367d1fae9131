package io.partitionbridge.writer;

import io.partitionbridge.control.CommittedFiles;
import io.partitionbridge.control.WriterMetrics;
import io.partitionbridge.control.WriterSession;
import io.partitionbridge.state.FileEntry;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/** The sink's metrics: Flink's names for what every sink has, and the bridge's own. */
final class WriterGauges {

    /** So many of the last values make up a histogram. */
    private static final int WINDOW = 1_000;

    private final Counter rows;
    private final Counter committedFiles;
    private final Counter committedBytes;
    private final Histogram commits;
    private final Counter lostFiles;
    private final Counter lostRows;

    WriterGauges(MetricGroup group, WriterSession writer, IntSupplier openFiles) {
        this.rows = group.counter("numRecordsSend");
        this.committedFiles = group.counter("filesCommitted");
        this.committedBytes = group.counter("bytesCommitted");
        this.commits = group.histogram("commitMs", recent());
        this.lostFiles = group.counter("filesLost");
        this.lostRows = group.counter("rowsLost");
        Supplier<WriterMetrics> latest = writer::metrics;
        group.gauge("oldestOpenUploadAge", (Gauge<Long>) writer::oldestUploadAgeMillis);
        group.gauge("openFiles", (Gauge<Integer>) openFiles::getAsInt);
        gauge(group, "numBytesSend", latest, WriterMetrics::bytesUploaded);
        gauge(group, "bytesBuffered", latest, WriterMetrics::bytesBuffered);
        gauge(group, "partsUploaded", latest, WriterMetrics::partsUploaded);
        gauge(group, "partRetries", latest, WriterMetrics::partRetries);
        gauge(group, "uploadsCreated", latest, WriterMetrics::uploadsCreated);
        gauge(group, "uploadsRecovered", latest, WriterMetrics::uploadsRecovered);
        gauge(group, "throttles", latest, WriterMetrics::throttles);
        gauge(group, "credentialRefreshes", latest, WriterMetrics::credentialRefreshes);
        gauge(group, "rowsEncoded", latest, WriterMetrics::rows);
        gauge(group, "filesPending", latest, WriterMetrics::filesPending);
        gauge(group, "bytesPending", latest, WriterMetrics::bytesPending);
        gauge(group, "writerRss", latest, WriterMetrics::writerRss);
    }

    /** The histogram of what the uploads of parts take; it's there before the process that does. */
    static Histogram partUploads(MetricGroup group) {
        return group.histogram("partUploadMs", recent());
    }

    private static Histogram recent() {
        return new DescriptiveStatisticsHistogram(WINDOW);
    }

    void row() {
        rows.inc();
    }

    /**
     * @param millis that the commit has taken; one without files took no request
     */
    void committed(CommittedFiles files, long millis) {
        if (!files.files().isEmpty()) {
            commits.update(millis);
        }
        committedFiles.inc(files.files().size());
        committedBytes.inc(files.bytes());
    }

    /** A file of the restored checkpoint that the attempt before hadn't made visible. */
    void completedAtRestore(FileEntry file) {
        committedFiles.inc();
        committedBytes.inc(file.size());
    }

    void lost(FileEntry file) {
        lostFiles.inc();
        lostRows.inc(file.rows());
    }

    private static void gauge(
            MetricGroup group,
            String name,
            Supplier<WriterMetrics> latest,
            ToLongFunction<WriterMetrics> value) {
        group.gauge(name, (Gauge<Long>) () -> value.applyAsLong(latest.get()));
    }
}
