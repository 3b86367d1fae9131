package io.partitionbridge.committer;

import static io.partitionbridge.committer.CommitterHarness.partitionTime;
import static io.partitionbridge.committer.CommitterHarness.processTime;
import static org.assertj.core.api.Assertions.assertThat;

import io.partitionbridge.GoldenState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a restored committer has still to commit. */
class CommitterRestoreTest {

    private static final String FIRST = "day=2013-01-01/";
    private static final String SECOND = "day=2013-01-02/";
    private static final long END_OF_FIRST =
            Instant.parse("2013-01-02T00:00:00.001Z").toEpochMilli();
    private static final long END_OF_SECOND =
            Instant.parse("2013-01-03T00:00:00.001Z").toEpochMilli();

    @TempDir Path table;

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
    @DisplayName("A pending partition of Flink's trigger survives a restore.")
    void restoresPendingOfTrigger() throws Exception {
        OperatorSubtaskState state = firstIsPending(partitionTime());

        try (CommitterHarness committer = restoredAtEndOfFirst(state)) {
            assertThat(committer.committed()).as("inherited state").containsExactly(FIRST);
        }
    }

    @Test
    @DisplayName("A changed trigger takes over what the one before had still to commit.")
    void changesTrigger() throws Exception {
        OperatorSubtaskState state = firstIsPending(processTime("1 h"));

        try (CommitterHarness committer = restoredAtEndOfFirst(state)) {
            assertThat(committer.committed()).as("nothing is lost").containsExactly(FIRST);
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

    private OperatorSubtaskState firstIsPending(Configuration options) throws Exception {
        try (CommitterHarness committer = CommitterHarness.start(table, options, 0)) {
            committer.snapshot(1);
            committer.report(1, 0, FIRST);
            return committer.snapshot(2);
        }
    }

    /** By event time, with the watermark that commits the first partition, a checkpoint later. */
    private CommitterHarness restoredAtEndOfFirst(OperatorSubtaskState state) throws Exception {
        CommitterHarness committer = CommitterHarness.restore(state, 2, table, partitionTime(), 0);
        committer.watermark(END_OF_FIRST);
        committer.snapshot(3);
        committer.report(3, 0);
        return committer;
    }
}
