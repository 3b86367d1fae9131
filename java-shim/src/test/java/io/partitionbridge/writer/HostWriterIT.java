package io.partitionbridge.writer;

import static org.assertj.core.api.Assertions.assertThat;

import io.partitionbridge.committer.FileReport;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.junit.jupiter.api.Test;

/**
 * The operator with a row format, whose files span checkpoints, against a real Python writer and a
 * real S3 server; see {@link RealWriter}.
 */
class HostWriterIT {

    private static final HostFormat LINES =
            HostFormat.rows(
                    (row, out) ->
                            out.write((row.getLong(0) + "\n").getBytes(StandardCharsets.US_ASCII)));

    private final String folder = "host-it-" + UUID.randomUUID();

    /** A partition is reported when its file is visible, not at the checkpoints before. */
    @Test
    void aFileSpansCheckpointsAndIsReportedOnceItIsVisible() throws Exception {
        try (RealWriter writer = open(null)) {
            writer.rows("2013-01-01", 0, 10);
            assertThat(reportOf(writer, 1).getPartitions()).as("open (I4)").isEmpty();
            writer.rows("2013-01-01", 10, 20);
            assertThat(reportOf(writer, 2).getPartitions()).isEmpty();

            writer.rows("2013-01-01", 20, 30);
            writer.harness.endInput();
            FileReport last = writer.takeReports().get(0);
            assertThat(last.isLast()).isTrue();
            assertThat(last.getKeys()).as("one file for three checkpoints").hasSize(1);
            writer.harness.snapshot(3, 3);
            writer.harness.notifyOfCompletedCheckpoint(3);
        }
    }

    /** The watermark ends a partition's file at the barrier, before the committer hears of it. */
    @Test
    void theFileOfACommittablePartitionEndsAtTheBarrier() throws Exception {
        try (RealWriter writer = open(null)) {
            writer.rows("2013-01-01", 0, 10);
            writer.rows("2013-01-02", 10, 20);
            writer.harness.processWatermark(new Watermark(day("2013-01-01") - 1));
            assertThat(reportOf(writer, 1).getPartitions()).isEmpty();

            writer.harness.processWatermark(new Watermark(day("2013-01-01") + 1));
            assertThat(reportOf(writer, 2).getPartitions())
                    .as("sealed at the barrier, visible with its checkpoint (I5)")
                    .containsExactly("day=2013-01-01/");
        }
    }

    /** A writer that goes idle no longer holds the watermark back: its files end first (I5). */
    @Test
    void anIdleWriterEndsItsFilesBeforeItSaysSo() throws Exception {
        try (RealWriter writer = open(null)) {
            writer.rows("2013-01-01", 0, 10);
            writer.harness.processWatermarkStatus(WatermarkStatus.IDLE);
            assertThat(writer.harness.getOutput()).as("held back").isEmpty();

            writer.harness.snapshot(1, 1);
            assertThat(writer.harness.getOutput()).containsExactly(WatermarkStatus.IDLE);
            writer.harness.getOutput().clear();
            writer.harness.notifyOfCompletedCheckpoint(1);
            assertThat(writer.takeReports().get(0).getPartitions())
                    .containsExactly("day=2013-01-01/");
        }
    }

    /** A savepoint names no open file, so it stays restorable while the job goes on. */
    @Test
    void aSavepointEndsEveryFile() throws Exception {
        try (RealWriter writer = open(null)) {
            writer.rows("2013-01-01", 0, 10);
            writer.harness.snapshotWithLocalState(
                    1, 1, SavepointType.savepoint(SavepointFormatType.CANONICAL));
            writer.harness.notifyOfCompletedCheckpoint(1);
            assertThat(writer.takeReports().get(0).getPartitions())
                    .containsExactly("day=2013-01-01/");
        }
    }

    /** After a crash an open file ends where its checkpoint left it, and is announced. */
    @Test
    void aRestoreEndsTheOpenFiles() throws Exception {
        RealWriter crashed = open(null);
        crashed.rows("2013-01-01", 0, 10);
        OperatorSubtaskState state = crashed.harness.snapshot(1, 1);
        crashed.rows("2013-01-01", 10, 20);
        crashed.close();

        try (RealWriter restored = open(state)) {
            assertThat(reportOf(restored, 2).getPartitions()).containsExactly("day=2013-01-01/");
        }
    }

    /** As with pyarrow; here the file was open at the barrier, and what it held then is named. */
    @Test
    void aCheckpointInTheMakingOutlivesTheEndOfInput() throws Exception {
        Map<String, String> beforeEnd = Map.of("without-final-checkpoint", "");
        try (RealWriter writer = new RealWriter(folder, beforeEnd, LINES, null).open(null)) {
            writer.rows("2013-01-01", 0, 10);
            OperatorSnapshotFutures begun = writer.snapshotBegins(1);
            writer.rows("2013-01-01", 10, 20);
            writer.harness.endInput();

            assertThat(RealWriter.snapshotEnds(begun).getManagedOperatorState())
                    .as("the open file's entry")
                    .hasSize(1);
        }
    }

    /** A bulk format's files end with each checkpoint, as in Flink. */
    @Test
    void aBulkFormatsFilesEndWithEachCheckpoint() throws Exception {
        HostFormat bulk = HostFormat.bulk(LINES.writers());
        try (RealWriter writer = new RealWriter(folder, Map.of(), bulk, null).open(null)) {
            writer.rows("2013-01-01", 0, 10);
            assertThat(reportOf(writer, 1).getPartitions()).containsExactly("day=2013-01-01/");
        }
    }

    private RealWriter open(OperatorSubtaskState restored) throws Exception {
        Configuration options = new Configuration();
        options.setString("sink.partition-commit.trigger", "partition-time");
        options.setString("partition.time-extractor.timestamp-pattern", "$day 00:00:00");
        return new RealWriter(folder, Map.of(), LINES, options).open(restored);
    }

    private static FileReport reportOf(RealWriter writer, long checkpoint) throws Exception {
        writer.harness.getOutput().clear();
        writer.harness.snapshot(checkpoint, checkpoint);
        writer.harness.notifyOfCompletedCheckpoint(checkpoint);
        return writer.takeReports().get(0);
    }

    private static long day(String day) {
        return java.time.LocalDate.parse(day).toEpochDay() * 86_400_000L;
    }
}
