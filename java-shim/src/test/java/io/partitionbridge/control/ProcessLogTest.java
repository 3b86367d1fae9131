package io.partitionbridge.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

/** A writer's lines come into the TaskManager's log as what they are. */
class ProcessLogTest {

    private final List<String> logged = new ArrayList<>();
    private final ProcessLog log =
            new ProcessLog(Level.WARN, (level, text) -> logged.add(level + " " + text));

    /** Python's levels become Flink's, and the text loses them. */
    @Test
    void aLineIsLoggedAtItsOwnLevel() {
        lines(
                "DEBUG a: 1",
                "INFO a: 2",
                "WARNING partition-bridge: 3",
                "ERROR a: 4",
                "CRITICAL a: 5",
                "someone's print");

        assertThat(logged)
                .containsExactly(
                        "DEBUG a: 1",
                        "INFO a: 2",
                        "WARN partition-bridge: 3",
                        "ERROR a: 4",
                        "ERROR a: 5",
                        "WARN someone's print");
    }

    /** An error's traceback is one record with its message. */
    @Test
    void indentedLinesBelongToTheRecordBefore() {
        lines("ERROR a: it broke", "    Traceback (most recent call last):", "    ValueError: no");
        lines("INFO a: next");

        assertThat(logged)
                .containsExactly(
                        "ERROR a: it broke\n    Traceback (most recent call last):\n    ValueError: no",
                        "INFO a: next");
    }

    /**
     * What the interpreter prints when it dies has no level, and is an error with all its lines.
     */
    @Test
    void theInterpretersOwnTracebackIsOneError() {
        lines(
                "Traceback (most recent call last):",
                "  File \"x.py\", line 1, in <module>",
                "ValueError: two",
                "",
                "lines of message",
                "INFO a: next");

        assertThat(logged)
                .containsExactly(
                        "ERROR Traceback (most recent call last):\n"
                                + "  File \"x.py\", line 1, in <module>\n"
                                + "ValueError: two\n\nlines of message",
                        "INFO a: next");
    }

    /**
     * Whoever waits for the rest of a record doesn't hold it back, and the rest keeps its level.
     */
    @Test
    void theRestOfARecordHasItsLevel() {
        lines("ERROR a: begun");
        lines("    and ended");

        assertThat(logged).containsExactly("ERROR a: begun", "ERROR     and ended");
    }

    /** A process that never ends its record can't fill the memory. */
    @Test
    void aRecordHasALongestLength() {
        String line = " ".repeat(ProcessLog.LONGEST / 2);
        lines("ERROR a: b", line, line, line);

        assertThat(logged).hasSizeGreaterThan(1);
        assertThat(logged.stream().mapToInt(String::length).max().orElseThrow())
                .isLessThanOrEqualTo("ERROR ".length() + ProcessLog.LONGEST);
    }

    private void lines(String... lines) {
        for (String line : lines) {
            log.line(line);
        }
        log.flush();
    }
}
