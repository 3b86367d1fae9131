package io.partitionbridge.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** Every future that was handed out completes, whatever happens. */
class AnswersTest {

    private final Answers answers = new Answers();

    /** An answer reaches the one who asked, and only for that question. */
    @Test
    void anAnswerCompletesItsQuestion() {
        CompletableFuture<byte[]> mine = answers.expect(new Answers.Entry(1, 7));
        CompletableFuture<byte[]> other = answers.expect(new Answers.Entry(1, 8));

        byte[] entry = {5};
        answers.answer(new Answers.Entry(1, 7), entry);

        assertThat(mine).isCompletedWithValue(entry);
        assertThat(other).isNotDone();
    }

    /** An aborted checkpoint fails its own waits; the next checkpoint's go on. */
    @Test
    void anAbortFailsOneCheckpointOnly() {
        CompletableFuture<Void> aborted = answers.expect(new Answers.SnapshotReady(7));
        CompletableFuture<Void> next = answers.expect(new Answers.SnapshotReady(8));

        answers.fail(new Answers.SnapshotReady(7)::equals, new IOException("aborted"));
        answers.answer(new Answers.SnapshotReady(7), null);

        assertThatThrownBy(aborted::get)
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("aborted");
        assertThat(next).as("a late answer to the aborted one is dropped").isNotDone();
    }

    /**
     * The task fails of the writer's death itself: a snapshot that failed of it first would be
     * declined, and a declined checkpoint be all that Flink shows.
     */
    @Test
    void deathFailsTheTasksWaitsAndItsEndThoseOfSnapshots() {
        CompletableFuture<Void> snapshot = answers.expect(new Answers.SnapshotReady(7));
        CompletableFuture<CommittedFiles> commit = answers.expect(new Answers.Committed(6));

        answers.failTask(new IOException("dead"));
        assertThat(commit).isCompletedExceptionally();
        assertThat(answers.expect(new Answers.Committed(7))).isCompletedExceptionally();
        CompletableFuture<byte[]> entry = answers.expect(new Answers.Entry(1, 7));
        assertThat(snapshot).as("the task isn't cancelled yet").isNotDone();
        assertThat(entry).as("the task isn't cancelled yet").isNotDone();

        answers.failAll(new IOException("cancelled"));
        assertThat(snapshot).as("nothing is left waiting").isCompletedExceptionally();
        assertThat(entry).as("nothing is left waiting").isCompletedExceptionally();
        assertThat(answers.expect(new Answers.Entry(2, 7)))
                .as("and nothing starts to")
                .isCompletedExceptionally();
    }

    /** Credit is only taken where it was granted, and a waiting thread learns of the end. */
    @Test
    void creditIsTakenOrRefused() throws Exception {
        Credit credit = new Credit();
        credit.grant(10);
        credit.take(4);
        credit.take(6);

        CompletableFuture<Throwable> waiting = new CompletableFuture<>();
        Thread task =
                new Thread(
                        () -> {
                            try {
                                credit.take(1);
                                waiting.complete(null);
                            } catch (IOException | InterruptedException e) {
                                waiting.complete(e);
                            }
                        });
        task.start();
        credit.close(new IOException("dead"));
        task.join();

        assertThat(waiting.get()).hasMessage("dead");
    }
}
