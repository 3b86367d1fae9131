package io.partitionbridge.writer;

import static org.assertj.core.api.Assertions.assertThat;

import io.partitionbridge.state.FileEntry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is announced when, and how long the state remembers it (I4). */
class CheckpointedFilesTest {

    private final CheckpointedFiles files = new CheckpointedFiles();

    /** A partition is reported once, after its checkpoint is complete. */
    @Test
    void reportsAPartitionOnceWhenItsFilesAreVisible() {
        files.closed(List.of(file(0, "d=1/"), file(1, "d=2/"), file(2, "d=1/")));
        assertThat(files.barrier(1)).containsExactly(0, 1, 2);
        assertThat(files.reportVisible()).as("pending").isEmpty();

        files.completed(1);
        assertThat(files.reportVisible()).containsExactly("d=1/", "d=2/");
        assertThat(files.reportVisible()).as("already reported").isEmpty();
    }

    /** A barrier names each file once; an aborted checkpoint's files stay pending for the next. */
    @Test
    void anAbortedCheckpointsFilesAreCompletedByTheNext() {
        files.closed(List.of(file(0, "d=1/")));
        files.barrier(1);
        files.closed(List.of(file(1, "d=2/")));

        assertThat(files.barrier(2)).as("only the new one").containsExactly(1);
        assertThat(elements(2)).as("both are in the state").isEqualTo(2);
        files.completed(2);
        assertThat(files.reportVisible()).containsExactly("d=1/", "d=2/");
    }

    /** Completing 1 must not touch what barrier 2 has sealed in the meantime. */
    @Test
    void aNotificationCompletesOnlyItsOwnCheckpoints() {
        files.closed(List.of(file(0, "d=1/")));
        files.barrier(1);
        files.closed(List.of(file(1, "d=2/")));
        files.barrier(2);

        files.completed(1);
        assertThat(files.reportVisible()).containsExactly("d=1/");
        assertThat(files.pendingKeys()).containsExactly("key-1");
    }

    /** A file leaves the state with the first checkpoint taken after its report, not before. */
    @Test
    void isRememberedUntilACheckpointCoversTheReport() {
        files.restored(completed("d=1/"));
        // Checkpoint 5 is taken before the report and completes after it.
        files.barrier(5);
        assertThat(files.reportVisible()).containsExactly("d=1/");
        files.completed(5);
        files.barrier(6);
        assertThat(elements(6)).as("5 doesn't cover the report").isEqualTo(1);

        files.completed(6);
        files.barrier(7);
        assertThat(elements(7)).as("6 does").isZero();
    }

    /** The final report takes what is pending along, and the final checkpoint covers it. */
    @Test
    void theFinalReportPromisesWhatIsPending() {
        files.restored(completed("d=0/"));
        files.closed(List.of(file(0, "d=1/")));
        files.barrier(1);
        files.closed(List.of(file(1, "d=2/")));

        assertThat(files.pendingKeys()).containsExactly("key-0", "key-1");
        assertThat(files.reportAll()).containsExactly("d=0/", "d=1/", "d=2/");
        assertThat(files.barrier(2)).as("closed at the end of input").containsExactly(1);
        files.completed(2);
        assertThat(files.reportVisible()).isEmpty();
        assertThat(elements(3)).isZero();
    }

    /** An open file is in every snapshot anew; once closed it is tracked as any other. */
    @Test
    void anOpenFileHasAnElementOfItsOwnInEachSnapshot() {
        OpenFile open = file(0, "d=1/");
        assertThat(files.barrier(1)).as("named as open, not as sealed").isEmpty();
        assertThat(files.elements(1, List.of(open), new CompletableFuture<>(), null)).hasSize(1);
        files.completed(1);
        assertThat(files.reportVisible()).as("nothing of it is visible (I4)").isEmpty();

        files.closed(List.of(open));
        assertThat(files.barrier(2)).containsExactly(0);
        assertThat(elements(2)).as("one element, not two").isEqualTo(1);
        files.completed(2);
        assertThat(files.reportVisible()).containsExactly("d=1/");
    }

    private int elements(long snapshot) {
        return files.elements(snapshot, List.of(), new CompletableFuture<>(), null).size();
    }

    private static OpenFile file(int number, String partition) {
        return new OpenFile(number, partition, "key-" + number, 0);
    }

    private static FileEntry completed(String partition) {
        return new FileEntry(
                FileEntry.State.COMPLETED,
                "lake",
                partition + "part",
                partition,
                "00112233445566778899aabbccddeeff",
                null,
                List.of(),
                5 << 20,
                true,
                10,
                1,
                4,
                0,
                0,
                "arrow",
                "0123456789abcdef",
                new byte[0]);
    }
}
