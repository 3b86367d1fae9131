package io.partitionbridge;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** What a class warns of while this is open. */
public final class Warnings extends AbstractAppender implements AutoCloseable {

    public final List<String> messages = new CopyOnWriteArrayList<>();
    private final Logger logger;

    private Warnings(Logger logger) {
        super("warnings", null, null, false, Property.EMPTY_ARRAY);
        this.logger = logger;
    }

    public static Warnings of(Class<?> type) {
        return of(type.getName());
    }

    /**
     * @param type name of a class that the test's package doesn't see
     */
    public static Warnings of(String type) {
        Warnings warnings = new Warnings((Logger) LogManager.getLogger(type));
        warnings.start();
        warnings.logger.addAppender(warnings);
        // A first appender resets the level.
        warnings.logger.setLevel(Level.WARN);
        return warnings;
    }

    @Override
    public void append(LogEvent event) {
        if (event.getLevel() == Level.WARN) {
            messages.add(event.getMessage().getFormattedMessage());
        }
    }

    @Override
    public void close() {
        logger.removeAppender(this);
        stop();
    }
}
