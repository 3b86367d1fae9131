package io.partitionbridge.committer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How long the committer waits for promised files, and what it says when they don't come. */
class VisibleFilesTest {

    private static final List<String> FILES = List.of("s3://lake/t/part-0", "s3://lake/t/part-1");

    @Test
    @DisplayName(
            "A store that first lacks the files, then fails, then has them, is asked until then.")
    void asksUntilTheyAreThere() throws Exception {
        Store store = new Store("absent", "failing", "there", "absent", "there");
        new VisibleFiles(store, Duration.ofMinutes(2)).await(FILES);
        assertThat(store.answers).as("each answer but the last asks for another").isEmpty();
    }

    @Test
    @DisplayName("What doesn't become visible in time is an error that counts, names and explains.")
    void givesUp() {
        Store store = new Store("there");
        assertThatThrownBy(() -> new VisibleFiles(store, Duration.ofSeconds(1)).await(FILES))
                .as("the first is there, the second never")
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("1 files of the last checkpoint of finished writers")
                .hasMessageContaining("within 1 s")
                .hasMessageContaining("s3://lake/t/part-1")
                .hasMessageContaining("Look for the error of their writer")
                .cause()
                .as("why the store gave no answer")
                .hasMessage("the store is away");
    }

    /** Answers in the order given, and fails once it has no answers left. */
    private static final class Store extends LocalFileSystem {

        private final Deque<String> answers;

        Store(String... answers) {
            this.answers = new ArrayDeque<>(List.of(answers));
        }

        @Override
        public boolean exists(Path file) throws IOException {
            String answer = answers.isEmpty() ? "failing" : answers.pop();
            if (answer.equals("failing")) {
                throw new IOException("the store is away");
            }
            return answer.equals("there");
        }
    }
}
