package io.partitionbridge.committer;

import static io.partitionbridge.committer.CommitterHarness.partitionTime;
import static io.partitionbridge.committer.CommitterHarness.processTime;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What writers that have reached their end promise, and what becomes of it. */
class FinalReportsTest {

    private static final String FIRST = "day=2013-01-01/";
    private static final String SECOND = "day=2013-01-02/";

    @TempDir Path table;

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
    @DisplayName(
            "Promised files that don't become visible fail the task; its last checkpoint has them.")
    void promisedFilesThatDontCome() throws Exception {
        OperatorSubtaskState state;
        try (CommitterHarness committer = CommitterHarness.start(table, processTime("0 s"), 0)) {
            committer.waitsAtMost(Duration.ofSeconds(1));
            committer.finalReport(0, 0, FIRST, committer.file(FIRST));
            committer.endInput();
            state = committer.snapshot(1);
            assertThatThrownBy(() -> committer.complete(1))
                    .as("neither passed over nor waited for without end")
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("within 1 s")
                    .hasMessageContaining(committer.file(FIRST));
            assertThat(committer.committed()).as("no file, no _SUCCESS (I4)").isEmpty();
        }

        try (CommitterHarness committer =
                CommitterHarness.restore(state, 1, table, processTime("0 s"), 0)) {
            committer.makeVisible(FIRST);
            committer.endInput();
            assertThat(committer.committed())
                    .as("the writer has completed it when it was restored")
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
}
