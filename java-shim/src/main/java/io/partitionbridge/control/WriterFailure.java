package io.partitionbridge.control;

import java.io.IOException;

/** The writer process can't go on; the task fails with this (I11). */
public class WriterFailure extends IOException {

    private static final long serialVersionUID = 1L;

    /** What the one who reads the message does next. */
    public enum Kind {
        RETRY,
        FAIL,
        CONFIGURATION,
        UNKNOWN_OUTCOME;

        static Kind parse(String name) {
            return switch (name) {
                case "retry" -> RETRY;
                case "configuration" -> CONFIGURATION;
                case "unknown-outcome" -> UNKNOWN_OUTCOME;
                default -> FAIL;
            };
        }
    }

    private final Kind kind;

    public WriterFailure(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public WriterFailure(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** For a thread that waited: an exception of its own, whose trace says what it waited for. */
    static IOException forWaiter(Throwable cause) {
        return cause instanceof WriterFailure known
                ? new WriterFailure(known.kind(), known.getMessage(), known)
                : new IOException(cause.getMessage(), cause);
    }

    public Kind kind() {
        return kind;
    }
}
