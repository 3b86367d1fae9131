package io.partitionbridge.control;

import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.event.Level;

/**
 * Makes log records of the lines that a Python process writes.
 *
 * <p>The bridge's own lines begin with their level, as Python's logging names it. What is indented
 * goes on with the record before; a traceback that the interpreter itself has printed does so until
 * a line with a level comes. Used by one thread.
 */
final class ProcessLog {

    /** What is longer is split: a process must not fill the memory of the TaskManager. */
    static final int LONGEST = 1 << 16;

    private static final Pattern LEVELLED =
            Pattern.compile("(DEBUG|INFO|WARNING|ERROR|CRITICAL) (.*)");
    private static final Pattern LAST_GASP =
            Pattern.compile("(Traceback \\(most recent call last\\)|Fatal Python error):.*");

    private final Level unmarked;
    private final BiConsumer<Level, String> log;
    private final StringBuilder record = new StringBuilder();
    private Level level;
    private boolean gasping;

    /**
     * @param unmarked the level of lines that bear none
     * @param log takes a record, whose lines are separated by line feeds
     */
    ProcessLog(Level unmarked, BiConsumer<Level, String> log) {
        this.unmarked = unmarked;
        this.log = log;
        this.level = unmarked;
    }

    /** A line without its level. */
    static String textOf(String line) {
        Matcher levelled = LEVELLED.matcher(line);
        return levelled.matches() ? levelled.group(2) : line;
    }

    void line(String line) {
        Matcher levelled = LEVELLED.matcher(line);
        if (levelled.matches()) {
            begin(levelOf(levelled.group(1)), levelled.group(2));
            gasping = false;
        } else if (gasping || isIndented(line)) {
            goOn(line);
        } else {
            gasping = LAST_GASP.matcher(line).matches();
            begin(gasping ? Level.ERROR : unmarked, line);
        }
    }

    /** Logs what there is of a record; what follows of it is logged at the same level. */
    void flush() {
        if (record.length() > 0) {
            log.accept(level, record.toString());
            record.setLength(0);
        }
    }

    private void begin(Level newLevel, String text) {
        flush();
        level = newLevel;
        record.append(text);
    }

    private void goOn(String line) {
        if (record.length() + line.length() >= LONGEST) {
            flush();
        }
        if (record.length() > 0) {
            record.append('\n');
        }
        record.append(line);
    }

    private static boolean isIndented(String line) {
        return !line.isEmpty() && Character.isWhitespace(line.charAt(0));
    }

    private static Level levelOf(String name) {
        return switch (name) {
            case "DEBUG" -> Level.DEBUG;
            case "INFO" -> Level.INFO;
            case "WARNING" -> Level.WARN;
            default -> Level.ERROR;
        };
    }
}
