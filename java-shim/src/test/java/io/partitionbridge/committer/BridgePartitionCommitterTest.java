package io.partitionbridge.committer;

import static io.partitionbridge.committer.CommitterHarness.partitionTime;
import static io.partitionbridge.committer.CommitterHarness.processTime;
import static org.assertj.core.api.Assertions.assertThat;

import io.partitionbridge.GoldenState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is committed, and when, by what the writers report. */
class BridgePartitionCommitterTest {

    private static final String FIRST = "day=2013-01-01/";
    private static final String SECOND = "day=2013-01-02/";
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
    @DisplayName("What a release's committer had still to commit, every later build commits (I7).")
    void restoresWhatEarlierBuildsWrote() throws Exception {
        try (CommitterHarness committer = CommitterHarness.start(table, partitionTime(), 0, 1)) {
            committer.snapshot(1);
            committer.report(1, 0, FIRST);
            committer.report(1, 1);
            committer.report(2, 0, SECOND);
            GoldenState.keepIfNew("v1-committer-partition-time", committer.snapshot(7));
        }
        try (CommitterHarness committer = CommitterHarness.start(table, processTime("1 d"), 0)) {
            committer.snapshot(1);
            committer.report(1, 0, FIRST, SECOND);
            GoldenState.keepIfNew("v1-committer-process-time", committer.snapshot(7));
        }
        for (String written : List.of("partition-time", "process-time")) {
            OperatorSubtaskState state = GoldenState.read("v1-committer-" + written);
            Path restoredTable = Files.createDirectories(table.resolve(written));
            try (CommitterHarness restored =
                    CommitterHarness.restore(state, 7, restoredTable, partitionTime(), 0)) {
                restored.watermark(END_OF_SECOND);
                restored.snapshot(8);
                restored.report(8, 0);
                assertThat(restored.committed())
                        .as("both, the one heard and the one fed: %s", written)
                        .containsExactly(FIRST, SECOND);
            }
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
    @DisplayName("What was heard but not fed survives a restore; old reports complete no round.")
    void restoresWhatWasHeard() throws Exception {
        OperatorSubtaskState state;
        try (CommitterHarness committer = CommitterHarness.start(table, processTime("0 s"), 0, 1)) {
            committer.snapshot(1);
            committer.report(1, 0, FIRST);
            state = committer.snapshot(2);
        }

        try (CommitterHarness committer =
                CommitterHarness.restore(state, 2, table, processTime("0 s"), 0)) {
            committer.report(2, 0, SECOND);
            committer.report(2, 1);
            committer.snapshot(3);
            assertThat(committer.committed())
                    .as("reports in flight from before the rescaling are no round")
                    .isEmpty();

            committer.report(3, 0);
            assertThat(committer.committed())
                    .as("but their partitions aren't lost, nor those of the state")
                    .containsExactly(FIRST, SECOND);
        }
    }

    @Test
    @DisplayName(
            "A final report is committed by a checkpoint that holds it, with its files visible.")
    void finalReportWaitsForFiles() throws Exception {
        try (CommitterHarness committer = CommitterHarness.start(table, processTime("1 h"), 0)) {
            committer.finalReport(0, 0, FIRST, committer.file(FIRST));
            committer.endInput();
            assertThat(committer.committed()).as("its files come with a checkpoint").isEmpty();

            committer.snapshot(1);
            committer.makeVisible(FIRST);
            committer.complete(1);
            assertThat(committer.committed())
                    .as("the end of input commits whatever the delay")
                    .containsExactly(FIRST);
        }
    }

    @Test
    @DisplayName("A checkpoint from before a final report doesn't make it due.")
    void finalReportNotDueBeforeItsCheckpoint() throws Exception {
        try (CommitterHarness committer = CommitterHarness.start(table, processTime("0 s"), 0)) {
            committer.snapshot(1);
            committer.finalReport(0, 0, FIRST, committer.file(FIRST));
            committer.endInput();

            committer.complete(1);
            assertThat(committer.committed())
                    .as("returns at once, though the file isn't visible")
                    .isEmpty();
        }
    }

    @Test
    @DisplayName("A subtask that has ended doesn't hold back the others.")
    void endedSubtaskIsNotWaitedFor() throws Exception {
        try (CommitterHarness committer = CommitterHarness.start(table, processTime("0 s"), 0, 1)) {
            committer.makeVisible(FIRST);
            committer.finalReport(0, 0, FIRST, committer.file(FIRST));
            committer.snapshot(1);
            committer.complete(1);

            committer.report(1, 1, SECOND);
            assertThat(committer.committed())
                    .as("subtask 1 alone completes the round")
                    .containsExactly(FIRST, SECOND);
        }
    }

    @Test
    @DisplayName("A subtask that was finished in the restored checkpoint isn't waited for.")
    void finishedAtRestore() throws Exception {
        try (CommitterHarness committer = CommitterHarness.start(table, processTime("0 s"), 0, 1)) {
            committer.snapshot(1);
            committer.report(1, 1, FIRST);
            assertThat(committer.committed()).as("its channel is still open").isEmpty();

            committer.disconnect(0);
            committer.snapshot(2);
            committer.complete(2);
            assertThat(committer.committed())
                    .as("once the channel is finished, the next checkpoint goes on")
                    .containsExactly(FIRST);
        }
    }

    @Test
    @DisplayName("A promise in a restored state is kept, though nobody repeats the report.")
    void restoresPromises() throws Exception {
        OperatorSubtaskState state;
        try (CommitterHarness committer = CommitterHarness.start(table, processTime("1 h"), 0)) {
            committer.finalReport(0, 0, FIRST, committer.file(FIRST));
            committer.endInput();
            state = committer.snapshot(1);
        }

        try (CommitterHarness committer =
                CommitterHarness.restore(state, 1, table, processTime("1 h"))) {
            committer.makeVisible(FIRST);
            committer.endInput();
            assertThat(committer.committed())
                    .as("its writer has completed it when it opened, or before")
                    .containsExactly(FIRST);
        }
    }

    @Test
    @DisplayName("Without checkpoints everything is committed at the end of input.")
    void withoutCheckpoints() throws Exception {
        try (CommitterHarness committer = CommitterHarness.start(table, partitionTime(), 0, 1)) {
            committer.finalReport(Long.MAX_VALUE, 0, FIRST);
            committer.finalReport(Long.MAX_VALUE, 1, SECOND);
            assertThat(committer.committed()).as("no watermark has come").isEmpty();

            committer.endInput();
            assertThat(committer.committed())
                    .as("Flink's end signal")
                    .containsExactly(FIRST, SECOND);
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
    @DisplayName("A restored job whose state has no committer starts clean, with either trigger.")
    void startsCleanOnEmptyState() throws Exception {
        OperatorSubtaskState none = OperatorSubtaskState.builder().build();
        try (CommitterHarness committer =
                CommitterHarness.restore(none, 7, table, partitionTime(), 0)) {
            committer.watermark(END_OF_FIRST);
            committer.snapshot(8);
            committer.report(8, 0, FIRST);
            assertThat(committer.committed())
                    .as("a policy added to a table with a savepoint works")
                    .containsExactly(FIRST);
        }

        try (CommitterHarness committer =
                CommitterHarness.restore(none, 7, table, processTime("0 s"), 0)) {
            committer.snapshot(8);
            committer.report(8, 0, SECOND);
            assertThat(committer.committed()).as("and so here").contains(SECOND);
        }
    }

    @Test
    @DisplayName("A changed trigger takes over what the one before had still to commit.")
    void changesTrigger() throws Exception {
        OperatorSubtaskState state;
        try (CommitterHarness committer = CommitterHarness.start(table, processTime("1 h"), 0)) {
            committer.snapshot(1);
            committer.report(1, 0, FIRST);
            state = committer.snapshot(2);
        }

        try (CommitterHarness committer =
                CommitterHarness.restore(state, 2, table, partitionTime(), 0)) {
            committer.watermark(END_OF_FIRST);
            committer.snapshot(3);
            committer.report(3, 0);
            assertThat(committer.committed()).as("nothing is lost").containsExactly(FIRST);
        }
    }

    @Test
    @DisplayName("A pending partition of Flink's trigger survives a restore.")
    void restoresPendingOfTrigger() throws Exception {
        OperatorSubtaskState state;
        try (CommitterHarness committer = CommitterHarness.start(table, partitionTime(), 0)) {
            committer.snapshot(1);
            committer.report(1, 0, FIRST);
            state = committer.snapshot(2);
        }

        try (CommitterHarness committer =
                CommitterHarness.restore(state, 2, table, partitionTime(), 0)) {
            committer.watermark(END_OF_FIRST);
            committer.snapshot(3);
            committer.report(3, 0);
            assertThat(committer.committed()).as("inherited state").containsExactly(FIRST);
        }
    }
}
