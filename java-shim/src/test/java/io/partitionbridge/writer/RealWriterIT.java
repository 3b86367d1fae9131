package io.partitionbridge.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.partitionbridge.Logged;
import io.partitionbridge.committer.FileReport;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.Test;

/**
 * The writer operator against a real Python writer and a real S3 server; see {@link RealWriter}.
 */
class RealWriterIT {

    private static final Map<String, String> BEFORE_END = Map.of("without-final-checkpoint", "");

    private final String folder = "it-" + UUID.randomUUID();

    /** A checkpoint's partitions are reported when it is complete, and every checkpoint reports. */
    @Test
    void reportsEachCompletedCheckpointOnceItsFilesAreVisible() throws Exception {
        try (RealWriter writer = new RealWriter(folder, Map.of()).open(null)) {
            writer.rows("2013-01-01", 0, 1000);
            writer.rows("2013-01-02", 1000, 2000);
            writer.harness.snapshot(1, 1);
            assertThat(writer.takeReports()).as("nothing before the notification").isEmpty();
            assertThat((Long) writer.metrics.value("oldestOpenUploadAge")).isPositive();

            writer.harness.notifyOfCompletedCheckpoint(1);
            FileReport first = writer.takeReports().get(0);
            assertThat(first.getPartitions()).containsExactly("day=2013-01-01/", "day=2013-01-02/");
            assertThat(first.getCheckpointId()).isEqualTo(1);
            assertThat(first.isLast()).isFalse();
            assertThat(writer.metrics.value("oldestOpenUploadAge"))
                    .as("none is open")
                    .isEqualTo(0L);

            writer.harness.snapshot(2, 2);
            writer.harness.notifyOfCompletedCheckpoint(2);
            FileReport second = writer.takeReports().get(0);
            assertThat(second.getPartitions()).as("an empty checkpoint reports too").isEmpty();
        }
    }

    /**
     * A crash between checkpoint and notification loses nothing: the restored files are announced.
     */
    @Test
    void completesAndReportsTheFilesOfARestoredCheckpoint() throws Exception {
        OperatorSubtaskState state;
        RealWriter crashed = new RealWriter(folder, Map.of()).open(null);
        crashed.rows("2013-01-01", 0, 1000);
        state = crashed.harness.snapshot(1, 1);
        crashed.rows("2013-01-02", 1000, 2000);
        crashed.close();

        OperatorSubtaskState covered;
        try (RealWriter restored = new RealWriter(folder, Map.of()).open(state)) {
            assertThat(restored.metrics.value("filesCommitted"))
                    .as("what the restore completed")
                    .isEqualTo(1L);
            assertThat((Long) restored.metrics.value("bytesCommitted")).isPositive();
            restored.harness.snapshot(2, 2);
            restored.harness.notifyOfCompletedCheckpoint(2);
            assertThat(restored.takeReports().get(0).getPartitions())
                    .as("only what the checkpoint had")
                    .containsExactly("day=2013-01-01/");
            covered = restored.harness.snapshot(3, 3);
        }
        try (RealWriter again = new RealWriter(folder, Map.of()).open(covered)) {
            again.harness.snapshot(4, 4);
            again.harness.notifyOfCompletedCheckpoint(4);
            assertThat(again.takeReports().get(0).getPartitions())
                    .as("completed entries are announced again until a checkpoint covers that")
                    .containsExactly("day=2013-01-01/");
        }
    }

    /** Who operates it reads of each file what it is, and counts what became visible, once. */
    @Test
    void tellsAndCountsEachFileThatBecomesVisible() throws Exception {
        OperatorSubtaskState state;
        try (Logged lines = Logged.of(CommitLog.class.getName(), Level.INFO);
                RealWriter writer = new RealWriter(folder, Map.of()).open(null)) {
            writer.rows("2013-01-01", 0, 1000);
            state = writer.harness.snapshot(1, 1);
            assertThat(writer.metrics.value("filesCommitted")).as("not yet").isEqualTo(0L);
            writer.harness.notifyOfCompletedCheckpoint(1);
            writer.harness.snapshot(2, 2);
            writer.harness.notifyOfCompletedCheckpoint(2);

            assertThat(writer.metrics.value("filesCommitted")).isEqualTo(1L);
            assertThat(writer.metrics.value("commitMs")).as("the one with a file").isEqualTo(1L);
            writer.awaitMetrics();
            assertThat(writer.metrics.value("partUploadMs")).as("its part").isEqualTo(1L);
            assertThat(writer.metrics.value("filesPending")).as("none is left").isEqualTo(0L);
            assertThat((Long) writer.metrics.value("writerRss"))
                    .as("a Python process with pyarrow and boto3")
                    .isGreaterThan(30L << 20);
            assertThat(lines.messages).as("nothing of the empty one").hasSize(2);
            assertThat(lines.messages.get(0))
                    .matches(
                            "Visible: s3://.*/day=2013-01-01/part-.* \\(partition 'day=2013-01-01/',"
                                    + " 1000 rows, \\d+ bytes, 1 parts, upload \\S+, checkpoint 1\\)");
            assertThat(lines.messages.get(1))
                    .matches(
                            "Committed checkpoint 1 of default_catalog.default_database.t: 1 files,"
                                    + " 1000 rows, "
                                    + writer.metrics.value("bytesCommitted")
                                    + " bytes became visible in \\d+ ms");
        }
        try (Logged lines = Logged.of(CommitLog.class.getName(), Level.INFO);
                RealWriter restored = new RealWriter(folder, Map.of()).open(state)) {
            assertThat(lines.messages)
                    .singleElement()
                    .asString()
                    .matches("Restored, already: s3://.* 1000 rows, .*, checkpoint 1\\)");
            assertThat(restored.metrics.value("filesCommitted"))
                    .as("an attempt before has counted it")
                    .isEqualTo(0L);
        }
    }

    /** An upload that the store has dropped fails the restore, and the message has all there is. */
    @Test
    void anUploadThatIsGoneFailsTheRestoreAndSaysWhatToDo() throws Exception {
        OperatorSubtaskState state;
        try (RealWriter writer = new RealWriter(folder, Map.of()).open(null)) {
            writer.rows("2013-01-01", 0, 1000);
            state = writer.harness.snapshot(7, 1);
        }
        RealWriter.expireUploads(folder);

        try (RealWriter restored = new RealWriter(folder, Map.of())) {
            assertThatThrownBy(() -> restored.open(state))
                    .hasMessageContaining("/" + folder + "/day=2013-01-01/part-")
                    .hasMessageContaining("the upload ")
                    .hasMessageContaining("1000 rows")
                    .hasMessageContaining("of checkpoint 7, created ")
                    .hasMessageContaining("hours ago")
                    .hasMessageContaining("AbortIncompleteMultipartUpload")
                    .hasMessageContaining("'sink.restore.missing-upload' = 'skip'");
        }
    }

    /** With 'skip' the job goes on, counts what it lost, and announces only what is there. */
    @Test
    void skipsAnUploadThatIsGoneAndCountsTheLoss() throws Exception {
        OperatorSubtaskState state;
        try (RealWriter writer = new RealWriter(folder, Map.of()).open(null)) {
            writer.rows("2013-01-01", 0, 1000);
            writer.rows("2013-01-02", 1000, 1500);
            state = writer.harness.snapshot(7, 1);
        }
        RealWriter.expireUploads(folder + "/day=2013-01-02");

        Map<String, String> skip = Map.of("sink.restore.missing-upload", "skip");
        try (Logged ofTheProcess =
                        Logged.of("io.partitionbridge.control.WriterProcess", Level.WARN);
                RealWriter restored = new RealWriter(folder, skip).open(state)) {
            assertThat(ofTheProcess.messages)
                    .as("what the writer process warns of is a warning here")
                    .singleElement()
                    .asString()
                    .matches("writer \\d+: partition-bridge: skipped: the upload .*");
            assertThat(restored.metrics.value("filesLost")).isEqualTo(1L);
            assertThat(restored.metrics.value("rowsLost")).isEqualTo(500L);
            assertThat(restored.metrics.value("filesCommitted")).isEqualTo(1L);
            restored.harness.snapshot(8, 2);
            restored.harness.notifyOfCompletedCheckpoint(8);
            assertThat(restored.takeReports().get(0).getPartitions())
                    .as("the other file was completed")
                    .containsExactly("day=2013-01-01/");
        }
        try (RealWriter again = new RealWriter(folder, skip).open(state)) {
            assertThat(again.metrics.value("rowsLost")).as("the same again").isEqualTo(500L);
        }
    }

    /** The files of an aborted checkpoint are in the next one. */
    @Test
    void anAbortedCheckpointsFilesGoIntoTheNext() throws Exception {
        try (RealWriter writer = new RealWriter(folder, Map.of()).open(null)) {
            writer.rows("2013-01-01", 0, 10);
            writer.harness.snapshot(1, 1);
            writer.harness.getOperator().notifyCheckpointAborted(1);
            writer.rows("2013-01-02", 10, 20);
            writer.harness.snapshot(2, 2);
            writer.harness.notifyOfCompletedCheckpoint(2);
            assertThat(writer.takeReports().get(0).getPartitions())
                    .containsExactly("day=2013-01-01/", "day=2013-01-02/");
        }
    }

    /** With a final checkpoint the promise comes in endInput, and nothing is emitted after it. */
    @Test
    void promisesItsLastFilesAtTheEndOfInput() throws Exception {
        try (RealWriter writer = new RealWriter(folder, Map.of()).open(null)) {
            writer.rows("2013-01-01", 0, 10);
            writer.harness.endInput();
            List<FileReport> reports = writer.takeReports();
            assertThat(reports).hasSize(1);
            assertThat(reports.get(0).isLast()).isTrue();
            assertThat(reports.get(0).getPartitions()).containsExactly("day=2013-01-01/");
            assertThat(reports.get(0).getKeys())
                    .as("full paths: s3-fs-hadoop looks for others in the user's home")
                    .singleElement()
                    .asString()
                    .matches("s3://[^/]+/" + folder + "/day=2013-01-01/part-70627269-.*");

            writer.harness.snapshot(1, 1);
            writer.harness.notifyOfCompletedCheckpoint(1);
            assertThat(writer.takeReports()).as("a later report would be dropped").isEmpty();
        }
    }

    /** Without checkpointing everything is visible when endInput returns. */
    @Test
    void withoutCheckpointingCompletesInEndInput() throws Exception {
        Map<String, String> without = Map.of("without-checkpointing", "");
        try (RealWriter writer = new RealWriter(folder, without).open(null)) {
            writer.rows("2013-01-01", 0, 10);
            writer.harness.endInput();
            FileReport report = writer.takeReports().get(0);
            assertThat(report.getCheckpointId()).isEqualTo(Long.MAX_VALUE);
            assertThat(report.isLast()).isTrue();
            assertThat(report.getKeys()).isEmpty();
            assertThat(report.getPartitions()).containsExactly("day=2013-01-01/");
        }
    }

    /** An interpreter that isn't there is the user's to fix, and the message says how. */
    @Test
    void namesTheOptionWhenThereIsNoInterpreter() throws Exception {
        try (RealWriter writer =
                new RealWriter(folder, Map.of("python.executable", "/nowhere/python"))) {
            assertThatThrownBy(() -> writer.open(null))
                    .hasMessageContaining("/nowhere/python")
                    .hasMessageContaining("Set 'python.executable'");
        }
    }

    /** What the writer says when it can't reach the store is what the task fails with. */
    @Test
    void theWritersOwnMessageIsTheTasksError() throws Exception {
        Map<String, String> wrong = Map.of("s3.secret-key", "not-the-secret");
        try (RealWriter writer = new RealWriter(folder, wrong)) {
            assertThatThrownBy(
                            () -> {
                                writer.open(null);
                                writer.rows("2013-01-01", 0, 10);
                                writer.harness.snapshot(1, 1);
                            })
                    .hasStackTraceContaining("s3.secret-key")
                    .satisfies(
                            failure ->
                                    assertThat(failure)
                                            .as("no secret in messages (I12)")
                                            .hasMessageNotContaining("not-the-secret"));
        }
    }

    /** The store's keys reach the writer by its standard input alone (I12). */
    @Test
    void theWriterProcessShowsNoSecret() throws Exception {
        String secret = System.getenv("PARTITION_BRIDGE_S3_SECRET");
        try (RealWriter writer = new RealWriter(folder, Map.of()).open(null)) {
            ProcessHandle process = ProcessHandle.current().children().findFirst().orElseThrow();
            Path proc = Path.of("/proc", Long.toString(process.pid()));
            for (String shown : List.of("environ", "cmdline")) {
                assertThat(Files.readString(proc.resolve(shown)))
                        .as("this JVM has it in its own environment: %s", shown)
                        .doesNotContain(secret)
                        .doesNotContain("PARTITION_BRIDGE_S3");
            }
            writer.rows("2013-01-01", 0, 10);
            assertThat(
                            new String(
                                    writer.harness
                                            .snapshot(1, 1)
                                            .getManagedOperatorState()
                                            .iterator()
                                            .next()
                                            .openInputStream()
                                            .readAllBytes(),
                                    StandardCharsets.ISO_8859_1))
                    .as("the state")
                    .doesNotContain(secret);
        }
    }

    /**
     * Where no final checkpoint follows, the end of input publishes everything. A checkpoint that
     * is still in the making then must not fail: the restart would write its rows twice.
     */
    @Test
    void aCheckpointInTheMakingOutlivesTheEndOfInput() throws Exception {
        OperatorSubtaskState state;
        try (RealWriter writer = new RealWriter(folder, BEFORE_END).open(null)) {
            writer.rows("2013-01-01", 0, 10);
            OperatorSnapshotFutures begun = writer.snapshotBegins(1);
            writer.rows("2013-01-02", 10, 20);
            writer.harness.endInput();
            assertThat(writer.takeReports().get(0).getPartitions())
                    .as("all is visible")
                    .containsExactly("day=2013-01-01/", "day=2013-01-02/");

            state = RealWriter.snapshotEnds(begun);
        }
        try (RealWriter restored = new RealWriter(folder, BEFORE_END).open(state)) {
            restored.harness.snapshot(2, 2);
            restored.harness.notifyOfCompletedCheckpoint(2);
            assertThat(restored.takeReports().get(0).getPartitions())
                    .as("its file, found to be there")
                    .containsExactly("day=2013-01-01/");
        }
    }

    /** A killed writer fails the task, naming the signal and every upload that was open. */
    @Test
    void aKilledWriterFailsTheTaskAndNamesItsUploads() throws Exception {
        try (RealWriter writer = new RealWriter(folder, Map.of()).open(null)) {
            writer.rows("2013-01-01", 0, 10);
            writer.harness.snapshot(1, 1);
            ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);

            assertThatThrownBy(() -> writer.harness.notifyOfCompletedCheckpoint(1))
                    .hasMessageContaining("was ended by signal 9")
                    .hasMessageContaining(folder + "/day=2013-01-01/part-")
                    .hasMessageContaining("upload id");
            assertThat(writer.takeReports()).as("nothing is announced (I4)").isEmpty();
            assertThat(writer.harness.wasFailedExternally()).as("an idle task fails too").isTrue();
        }
    }

    /** After close nothing of the writer is left in the TaskManager: no process and no thread. */
    @Test
    void leavesNoProcessAndNoThread() throws Exception {
        new RealWriter(folder, Map.of()).open(null).close();

        assertThat(ProcessHandle.current().children()).isEmpty();
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(Thread::isAlive)
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("partition-bridge"));
    }

    /** Nor where memory runs out while it opens: each further attempt would leave one more. */
    @Test
    void anErrorWhileItOpensLeavesNoProcess() throws Exception {
        RealWriter writer = new RealWriter(folder, Map.of());
        writer.metrics.runOutOfMemoryAt("oldestOpenUploadAge");

        assertThatThrownBy(() -> writer.open(null)).isInstanceOf(OutOfMemoryError.class);
        assertThat(ProcessHandle.current().children()).as("ended before it's told").isEmpty();
        writer.close();
    }
}
