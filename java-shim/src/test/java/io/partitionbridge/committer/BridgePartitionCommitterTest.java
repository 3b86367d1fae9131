package io.partitionbridge.committer;

import static io.partitionbridge.committer.CommitterHarness.partitionTime;
import static io.partitionbridge.committer.CommitterHarness.processTime;
import static org.assertj.core.api.Assertions.assertThat;

import io.partitionbridge.Logged;
import java.nio.file.Path;
import java.time.Instant;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is committed, and when, by what the writers report. */
class BridgePartitionCommitterTest {

    private static final String FIRST = "day=2013-01-01/";
    private static final String SECOND = "day=2013-01-02/";
    private static final long START_OF_FIRST =
            Instant.parse("2013-01-01T00:00:00.001Z").toEpochMilli();
    private static final long END_OF_FIRST =
            Instant.parse("2013-01-02T00:00:00.001Z").toEpochMilli();
    private static final long END_OF_SECOND =
            Instant.parse("2013-01-03T00:00:00.001Z").toEpochMilli();

    @TempDir Path table;

    @Test
    @DisplayName("A partition is committed once every subtask has reported the checkpoint.")
    void waitsForEverySubtask() throws Exception {
        try (CommitterHarness committer = CommitterHarness.start(table, processTime("0 s"), 0, 1)) {
            committer.snapshot(1);
            committer.complete(1);
            committer.report(1, 0, FIRST);
            assertThat(committer.committed()).as("subtask 1 may still have files of it").isEmpty();

            committer.report(1, 1);
            assertThat(committer.committed()).as("an empty report counts").containsExactly(FIRST);
        }
    }

    @Test
    @DisplayName("A subtask that missed a notification doesn't hold back the round before.")
    void missedNotification() throws Exception {
        try (CommitterHarness committer = CommitterHarness.start(table, partitionTime(), 0, 1)) {
            committer.watermark(END_OF_FIRST);
            committer.snapshot(1);
            committer.report(1, 0, FIRST);
            committer.snapshot(2);

            committer.report(2, 1, SECOND);
            assertThat(committer.committed())
                    .as("both have reached 1, whose watermark ends the first day")
                    .containsExactly(FIRST);

            committer.watermark(END_OF_SECOND);
            committer.snapshot(3);
            committer.report(3, 0);
            committer.report(3, 1);
            assertThat(committer.committed())
                    .as("what was heard with the later report is kept")
                    .containsExactly(FIRST, SECOND);
        }
    }

    @Test
    @DisplayName("The watermark of the checkpoint decides, as with Flink's own committer.")
    void watermarkOfCheckpointDecides() throws Exception {
        try (CommitterHarness committer = CommitterHarness.start(table, partitionTime(), 0)) {
            committer.snapshot(1);
            committer.watermark(END_OF_FIRST);
            committer.report(1, 0, FIRST);
            assertThat(committer.committed()).as("1 was taken before the watermark").isEmpty();

            committer.snapshot(2);
            committer.report(2, 0);
            assertThat(committer.committed()).as("2 after it").containsExactly(FIRST);
        }
    }

    @Test
    @DisplayName("A stop without drain commits nothing before its time.")
    void stopWithoutDrain() throws Exception {
        try (CommitterHarness committer = CommitterHarness.start(table, processTime("1 h"), 0)) {
            committer.snapshot(1);
            committer.complete(1);
            committer.report(1, 0, FIRST);
            committer.disconnect(0);

            assertThat(committer.committed()).as("the delay isn't over").isEmpty();
        }
    }

    @Test
    @DisplayName(
            "Metrics tell what waits for its time and what is committed, as of the last checkpoint.")
    void countsPartitions() throws Exception {
        OperatorSubtaskState state;
        try (CommitterHarness committer = CommitterHarness.start(table, partitionTime(), 0)) {
            committer.watermark(END_OF_FIRST);
            committer.snapshot(1);
            committer.report(1, 0, FIRST, SECOND);
            state = committer.snapshot(2);
            assertThat(committer.metric("partitionsCommitted")).as("the first").isEqualTo(1L);
            assertThat(committer.metric("partitionsPending")).as("the second").isEqualTo(1);
        }
        try (CommitterHarness restored =
                CommitterHarness.restore(state, 2, table, partitionTime(), 0)) {
            restored.watermark(END_OF_SECOND);
            restored.snapshot(3);
            restored.report(3, 0);
            restored.snapshot(4);
            assertThat(restored.metric("partitionsCommitted")).as("since start").isEqualTo(1L);
            assertThat(restored.metric("partitionsPending")).as("none is left").isEqualTo(0);
        }
    }

    @Test
    @DisplayName(
            "A partition that waits says for what: in a metric, and in the log when it changes.")
    void saysForWhatPartitionsWait() throws Exception {
        try (Logged lines = Logged.of(WaitingPartitions.class.getName(), Level.INFO);
                CommitterHarness committer = CommitterHarness.start(table, partitionTime(), 0, 1)) {
            committer.snapshot(1);
            committer.report(1, 0, FIRST);
            committer.snapshot(2);
            assertThat(committer.metric("partitionsWaitingForReports"))
                    .as("subtask 1 hasn't reported 1")
                    .isEqualTo(1);
            assertThat(committer.metric("watermarkLag")).as("no watermark").isEqualTo(-1L);

            committer.report(1, 1);
            committer.watermark(START_OF_FIRST);
            committer.snapshot(3);
            assertThat(committer.metric("partitionsWaitingForReports")).isEqualTo(0);
            assertThat(committer.metric("partitionsWaitingForDelay"))
                    .as("the day has begun, and one more is to pass")
                    .isEqualTo(1);
            committer.snapshot(4);

            committer.report(4, 0, SECOND);
            committer.report(4, 1);
            committer.snapshot(5);
            assertThat(committer.metric("partitionsWaitingForWatermark"))
                    .as("the second day")
                    .isEqualTo(1);

            committer.sourcesAreIdle();
            committer.snapshot(6);
            assertThat(committer.metric("partitionsWaitingForWatermark")).isEqualTo(0);
            assertThat(committer.metric("partitionsWaitingForDelay")).isEqualTo(0);
            assertThat(committer.metric("partitionsWaitingForIdleSource"))
                    .as("for both the watermark would have to go on")
                    .isEqualTo(2);

            assertThat(lines.messages)
                    .as("one line for each change, none for the snapshot that changed nothing")
                    .hasSize(4);
            assertThat(lines.messages.get(0)).contains("c.d.t", "haven't reported", FIRST);
            assertThat(lines.messages.get(1))
                    .contains(
                            "1 for 'sink.partition-commit.delay', which is PT24H, by the watermark, which is 2013-01-01T00:00:00.001Z",
                            FIRST);
            assertThat(lines.messages.get(2))
                    .contains("1 for the watermark, which is 2013-01-01T00:00:00.001Z", SECOND);
            assertThat(lines.messages.get(3))
                    .contains("2 for the watermark", "every source is idle", FIRST, SECOND);
        }
    }

    @Test
    @DisplayName("Files that a finished subtask has promised are what their partition waits for.")
    void waitsForAFinishedSubtask() throws Exception {
        try (CommitterHarness committer = CommitterHarness.start(table, processTime("0 s"), 0, 1)) {
            committer.finalReport(0, 1, FIRST, committer.file(FIRST));
            committer.snapshot(1);
            assertThat(committer.metric("partitionsWaitingForFinishedSubtask")).isEqualTo(1);

            committer.makeVisible(FIRST);
            committer.complete(1);
            committer.report(1, 0);
            committer.snapshot(2);
            assertThat(committer.committed()).containsExactly(FIRST);
            assertThat(committer.metric("partitionsWaitingForFinishedSubtask")).isEqualTo(0);
        }
    }
}
